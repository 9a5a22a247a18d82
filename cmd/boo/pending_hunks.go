package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

const hunkKeys = "ynadqs?"

// askHunks asks a person about each hunk of the selected changes. It returns the
// ids of the changes that something was taken of, nil if that is none, and which
// of their hunks.
func (e *env) askHunks(ctx context.Context, sel orchestrator.ChangeSelector, verb string, agent orchestrator.AgentName) ([]string, map[orchestrator.ChangeID][]int, error) {
	if !e.attended() {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "-p asks about each hunk, and there is no terminal to ask on").
			WithHint("boo pending %s PATH…", strings.ToLower(verb))
	}
	list, err := e.svc.Hunks(ctx, sel)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		e.nothingHere(sel.Chat)
		return nil, nil, nil
	}
	q := hunkQuestions{e: e, verb: verb, agent: agent, taken: map[orchestrator.ChangeID][]int{}}
	for _, c := range list {
		if err := q.ask(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	var ids []string
	for _, c := range list {
		if len(q.taken[c.Change.ID]) > 0 {
			ids = append(ids, string(c.Change.ID))
		}
	}
	if ids == nil {
		e.Stderr.Println(tty.Plain("no hunk was taken; nothing was changed"))
	}
	return ids, q.taken, nil
}

// hunkQuestions goes through hunks with a person.
type hunkQuestions struct {
	e     *env
	verb  string
	agent orchestrator.AgentName
	taken map[orchestrator.ChangeID][]int
	quit  bool
}

func (q *hunkQuestions) ask(ctx context.Context, c orchestrator.ChangeHunks) error {
	answer := byte(0) // for the rest of the file
	for i, h := range c.Hunks {
		if q.quit {
			return nil
		}
		if q.agent != "" && !slices.Contains(h.Agents, q.agent) {
			continue
		}
		key := answer
		if key == 0 {
			var err error
			if key, err = q.decide(ctx, c, i); err != nil {
				return err
			}
		}
		switch key {
		case tty.CtrlC:
			return errStopped()
		case 'q':
			q.quit = true
		case 'a', 'd':
			answer = key
		}
		if key == 'y' || key == 'a' {
			q.taken[c.Change.ID] = append(q.taken[c.Change.ID], i)
		}
	}
	return nil
}

// decide asks about one hunk until there is an answer.
func (q *hunkQuestions) decide(ctx context.Context, c orchestrator.ChangeHunks, i int) (byte, error) {
	for {
		key, err := q.e.Key(ctx, hunkKeys, func() { q.draw(c, i) })
		if err != nil {
			return 0, err
		}
		q.e.Stderr.Println(tty.Bold(string(max(key, ' '))))
		switch key {
		case '?':
			q.help()
		case 's':
			q.e.Stderr.Println(tty.Plain("this is one change already, without an unchanged line in it: it cannot be split"))
		default:
			return key, nil
		}
	}
}

// help says what the keys do; they are those of git add -p.
func (q *hunkQuestions) help() {
	verb := strings.ToLower(q.verb)
	for _, line := range []string{
		"y  " + verb + " this", "n  leave this as it is", "q  leave this and all that follows; what was taken is done",
		"a  " + verb + " this and the rest of this file", "d  leave this and the rest of this file",
		"s  split this into smaller ones", "?  this help", "^C leave everything as it is",
	} {
		q.e.Stderr.Println(tty.Dim(line))
	}
}

// draw shows one hunk and the question. All of its text is an agent's, and goes
// through the output's own cleaning.
func (q *hunkQuestions) draw(c orchestrator.ChangeHunks, i int) {
	out, h := q.e.Stderr, c.Hunks[i]
	out.Println()
	out.Println(opSpan(c.Change.Op()), tty.Bold(" "+c.Change.Path.String()+"  "), tty.Dim("by "+names(h.Agents)))
	if h.Whole {
		out.Println(append([]tty.Span{tty.Dim("the whole file  ")}, counts(c.Change.Stat())...)...)
	} else {
		out.Println(tty.Cyan(fmt.Sprintf("@@ line %d, now %d @@", h.OldLine, h.NewLine)))
		q.lines(" ", h.Before, tty.Plain)
		q.lines("-", h.Removed, tty.Red)
		q.lines("+", h.Added, tty.Green)
		q.lines(" ", h.After, tty.Plain)
	}
	out.Println(tty.Bold(fmt.Sprintf("%s this? (%d of %d) ", q.verb, i+1, len(c.Hunks))), tty.Dim("[y]es [n]o, [a]ll or [d]one with this file, [q]uit, [?] "))
}

const maxHunkLines = 200 // of one side, on the screen

func (q *hunkQuestions) lines(mark string, lines []string, colour func(string) tty.Span) {
	for _, line := range lines[:min(len(lines), maxHunkLines)] {
		q.e.Stderr.Println(colour(mark + strings.TrimRight(line, "\r\n")))
	}
	if n := len(lines) - maxHunkLines; n > 0 {
		q.e.Stderr.Println(tty.Dim(fmt.Sprintf("%s (%d more lines)", mark, n)))
	}
}
