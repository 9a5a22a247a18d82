package main

import (
	"fmt"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// moves is the renames of a set by either of their names, and what is known of
// its changes by their ids.
type moves struct {
	from, to map[orchestrator.Path]orchestrator.Rename
	checks   map[orchestrator.ChangeID][]orchestrator.CheckResult
}

func movesOf(set orchestrator.ChangeSet) moves {
	m := moves{from: map[orchestrator.Path]orchestrator.Rename{}, to: map[orchestrator.Path]orchestrator.Rename{}, checks: set.Checks}
	for _, r := range set.Renames {
		m.from[r.From], m.to[r.To] = r, r
	}
	return m
}

// stat counts a change; of a file that was moved, the lines that differ from
// the one it was.
func (m moves) stat(c orchestrator.Change) orchestrator.FileStat {
	stat := c.Stat()
	if r, ok := m.to[c.Path]; ok {
		stat.Added, stat.Deleted = r.Added, r.Deleted
	}
	return stat
}

// cells are the letter of a change, its name, and its counts.
func (m moves) cells(c orchestrator.Change) []tty.Span {
	letter, name := opSpan(c.Op()), c.Path.String()
	if r, ok := m.to[c.Path]; ok {
		letter, name = tty.Yellow("R"), r.From.String()+" -> "+name
	}
	return append([]tty.Span{letter, tty.Plain(name)}, countCells(m.stat(c))...)
}

// note says what letter and counts do not.
func (m moves) note(c orchestrator.Change) string {
	if r, ok := m.from[c.Path]; ok {
		return "renamed to " + r.To.String()
	}
	executable := c.New.Mode == orchestrator.ModeExec
	switch {
	case c.Op() == orchestrator.OpType:
		return kindOf(c.Old) + " became " + kindOf(c.New)
	case !c.New.Exists():
		return ""
	case !c.Old.Exists() && (executable || kindOf(c.New) != "file"):
		return kindOf(c.New)
	case c.Old.Exists() && c.Old.Mode != c.New.Mode && executable:
		return "made executable"
	case c.Old.Exists() && c.Old.Mode != c.New.Mode:
		return "not executable any more"
	}
	return ""
}

func kindOf(e orchestrator.Entry) string {
	switch e.Mode {
	case orchestrator.ModeSymlink:
		return "symlink"
	case orchestrator.ModeGitlink:
		return "submodule"
	case orchestrator.ModeExec:
		return "executable file"
	}
	return "file"
}

// summed says of a change that is too much to show how much it is.
func summed(set orchestrator.ChangeSet, c orchestrator.Change) string {
	size := func(e orchestrator.Entry) string { return orchestrator.Bytes(set.Sizes[e.ID]) }
	what := fmt.Sprintf("too long to be shown: +%d -%d lines", c.Added, c.Deleted)
	if c.Binary {
		what = "binary"
	}
	switch {
	case !c.Old.Exists():
		return what + ", " + size(c.New)
	case !c.New.Exists():
		return what + ", " + size(c.Old) + " before"
	}
	return what + ", " + size(c.Old) + " before, " + size(c.New) + " now"
}
