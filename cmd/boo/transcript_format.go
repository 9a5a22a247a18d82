package main

import (
	"fmt"
	"html"
	"io"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// transcriptFormat writes passages in one form. What it writes is clean: no
// control characters but line breaks and tabs.
type transcriptFormat struct {
	head func(w io.Writer, d orchestrator.ChatDetail)
	body func(w io.Writer, p passage)
	tail func(w io.Writer)
}

var transcriptFormats = map[string]transcriptFormat{
	"md": {
		head: func(w io.Writer, d orchestrator.ChatDetail) {
			fmt.Fprintf(w, "# %s\n\nchat %s, %s\n", tty.Line(titleOf(d.ChatSummary)), d.ID, tty.Line(string(d.RepoRoot)))
		},
		body: markdown,
		tail: func(io.Writer) {},
	},
	"html": {
		head: func(w io.Writer, d orchestrator.ChatDetail) {
			title := html.EscapeString(tty.Line(titleOf(d.ChatSummary)))
			fmt.Fprintf(w, htmlHead, title, title, html.EscapeString(string(d.ID)+", "+tty.Line(string(d.RepoRoot))))
		},
		body: htmlPassage,
		tail: func(w io.Writer) { fmt.Fprint(w, "</body>\n</html>\n") },
	},
}

// heading names a passage.
func heading(p passage) string {
	switch p.Role {
	case "person":
		return "you to " + string(p.Agent)
	case "agent":
		return string(p.Agent)
	case "thought":
		return string(p.Agent) + " (thinking)"
	case "tool":
		return fmt.Sprintf("%s (%s)", p.Title, p.State)
	case "end":
		return p.Title
	}
	return p.Role
}

func markdown(w io.Writer, p passage) {
	level, text := "##", strings.TrimSpace(tty.Text(p.Text))
	if p.Role != "person" && p.Role != "agent" {
		level = "###"
	}
	head := tty.Line(heading(p))
	if p.Role == "person" {
		head += p.At.Local().Format(", 2006-01-02 15:04")
	}
	fmt.Fprintf(w, "\n%s %s\n", level, head)
	switch {
	case text == "":
	case p.Role == "tool" || p.Role == "thought":
		fence := fenceFor(text)
		fmt.Fprintf(w, "\n%s\n%s\n%s\n", fence, text, fence)
	default:
		fmt.Fprintf(w, "\n%s\n", text)
	}
}

// fenceFor is a fence that nothing in a text ends.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(3, longest+1))
}

// The policy has a browser load nothing and run nothing, should there ever be
// anything in it that was not escaped.
const htmlHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: .6em; font-size: 13px }
h2 { font-size: 1em; border-top: 1px solid #ccc; padding-top: .6em }
.person pre { background: #e8f0fe } .thought, .notice, .end { color: #666 }
</style>
</head>
<body>
<h1>%s</h1>
<p>%s</p>
`

func htmlPassage(w io.Writer, p passage) {
	head, text := html.EscapeString(tty.Line(heading(p))), html.EscapeString(strings.TrimSpace(tty.Text(p.Text)))
	when := p.At.Local().Format("2006-01-02 15:04:05")
	fmt.Fprintf(w, "<section class=\"%s\">\n<h2 title=\"%s\">%s</h2>\n", p.Role, when, head)
	switch {
	case text == "":
	case p.Role == "tool":
		fmt.Fprintf(w, "<details><summary>output</summary><pre>%s</pre></details>\n", text)
	default:
		fmt.Fprintf(w, "<pre>%s</pre>\n", text)
	}
	fmt.Fprint(w, "</section>\n")
}
