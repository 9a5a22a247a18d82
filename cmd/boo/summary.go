package main

import (
	"fmt"
	"strings"
	"time"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// Paths up to this width line up.
const maxPathColumn = 48

// A turn that changed more than manyFiles files names the first shownFiles.
const (
	manyFiles  = 30
	shownFiles = 20
)

// summary shows what a turn came to and what can be done next.
func (v *turnView) summary(s orchestrator.TurnSummary) {
	v.screen.Break()
	mark := tty.Green("✓ ")
	if s.State != orchestrator.TurnCompleted {
		mark = tty.Red("✗ ")
	}
	facts := []string{stateName(s.State)}
	if s.Duration > 0 {
		facts[0] += " in " + duration(time.Duration(s.Duration)*time.Millisecond)
	}
	facts = append(facts, tokens(s.Usage)...)
	if s.Rung != "" {
		facts = append(facts, "session "+rungWords(s.Rung))
	}
	v.line(mark, tty.Plain(strings.Join(facts, " · ")))
	if s.Reason != "" && v.past { // of a turn that is watched, the error says it
		v.line(tty.Plain("  " + s.Reason))
	}
	var total orchestrator.FileStat
	width := 0
	for _, f := range s.Files {
		total.Added += f.Added
		total.Deleted += f.Deleted
	}
	shown := s.Files
	if len(shown) > manyFiles {
		shown = shown[:shownFiles]
	}
	for _, f := range shown {
		width = max(width, min(maxPathColumn, tty.Width(tty.Line(f.Path.String()))))
	}
	for _, f := range shown {
		v.line(append([]tty.Span{tty.Dim("  " + padRight(string(f.Op), 6) + "  "), tty.Plain(tty.Pad(tty.Line(f.Path.String()), width) + "  ")}, counts(f)...)...)
	}
	if rest := len(s.Files) - len(shown); rest > 0 {
		v.line(tty.Dim(fmt.Sprintf("  and %d more files", rest)))
	}
	for _, p := range s.Skipped {
		v.line(leftOut(p)...)
	}
	switch len(s.Files) {
	case 0:
		v.line(tty.Dim("  no file changed"))
	default:
		v.line(append([]tty.Span{tty.Plain("  " + plural(len(s.Files), "file") + "  ")}, counts(total)...)...)
	}
	if s.Pending > 0 && !v.past {
		v.line(tty.Dim(plural(s.Pending, "change")+" pending · next: "), tty.Bold("boo pending show"), tty.Dim(" · "), tty.Bold("boo pending apply"))
	}
}

// leftOut says of a file that no snapshot has it, and so no change is pending.
func leftOut(p orchestrator.SkippedPath) []tty.Span {
	return []tty.Span{tty.Yellow("  left out  "), tty.Plain(p.Path.String() + ": " + p.Reason)}
}

func stateName(s orchestrator.TurnState) string {
	if s == orchestrator.TurnCancelled {
		return "stopped"
	}
	return string(s)
}

// counts shows "+12 -3", or that there are no lines to count.
func counts(f orchestrator.FileStat) []tty.Span {
	if f.Binary {
		return []tty.Span{tty.Dim("binary")}
	}
	return []tty.Span{tty.Green(fmt.Sprintf("+%d", f.Added)), tty.Plain(" "), tty.Red(fmt.Sprintf("-%d", f.Deleted))}
}

// tokens says what a turn cost, as far as the agent told.
func tokens(u orchestrator.Usage) []string {
	var facts []string
	if u.Input+u.Output > 0 {
		facts = append(facts, fmt.Sprintf("%s tokens in, %s out", grouped(u.Input), grouped(u.Output)))
	}
	if u.Cost > 0 {
		facts = append(facts, strings.TrimSpace(fmt.Sprintf("%.4f %s", u.Cost, u.Currency)))
	}
	if u.ContextSize > 0 {
		facts = append(facts, fmt.Sprintf("context %d%%", 100*u.ContextUsed/u.ContextSize))
	}
	return facts
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// ago says how long ago something was, for lists.
func ago(now, then time.Time) string {
	if then.IsZero() {
		return "-"
	}
	d := now.Sub(then)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func padRight(s string, n int) string { return fmt.Sprintf("%-*s", n, s) }
