package pending

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"boo/orchestrator"
)

// landing is what an apply is going to do beside the files. Each place that the
// changes go to gets them by a merge of its own, so that what the person has
// there, and nothing else, stays: an edit that is not staged is not staged by
// it, and what is staged is not committed by it.
type landing struct {
	index   []orchestrator.IndexStep
	ref     string
	parent  orchestrator.ObjectID // "" for a first commit
	entries map[orchestrator.Path]orchestrator.Entry
	message string
	old     orchestrator.ObjectID
	only    bool // the ref alone, not the checkout
}

// planLanding plans the index, and the commit if one is asked for.
func (e *Engine) planLanding(ctx context.Context, c orchestrator.Checkout, moves []*move, opts orchestrator.ApplyOptions) (*landing, error) {
	if !opts.Index && opts.Commit == "" {
		return nil, nil //nolint:nilnil // nothing beside the files
	}
	l := &landing{message: opts.Commit}
	var head orchestrator.ObjectID
	var err error
	if opts.Commit != "" {
		if l.ref, head, err = e.git.CheckedOut(ctx, c); err != nil {
			return nil, err
		}
		l.parent, l.old = head, head
		if l.entries, err = e.blendInto(ctx, c, head, moves, "what is committed"); err != nil {
			return nil, err
		}
	}
	staged, err := e.git.Staged(ctx, c, pathsOf(moves))
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		b, err := e.blend(ctx, c.CommonDir, m.Base, staged[m.Path], m.Agent, false)
		if err != nil {
			return nil, fmt.Errorf("merge %s with what is staged: %w", m.Path, err)
		}
		if b.refused != "" && m.refused == "" {
			m.refused = "with what you have staged: " + b.refused
		}
		m.already = m.already && b.entry == staged[m.Path]
		if b.entry != staged[m.Path] {
			l.index = append(l.index, orchestrator.IndexStep{Path: m.Path, Before: staged[m.Path], After: b.entry})
		}
	}
	return l, nil
}

// planBranch plans a new branch at HEAD, with one commit.
func (e *Engine) planBranch(ctx context.Context, c orchestrator.Checkout, moves []*move, opts orchestrator.ApplyOptions) (*landing, error) {
	l := &landing{message: opts.Commit, only: true}
	var err error
	if l.ref, err = e.git.BranchRef(ctx, c, opts.Branch); err != nil {
		return nil, err
	}
	there, err := e.git.BranchAt(ctx, c, l.ref)
	if err != nil {
		return nil, err
	}
	if there != "" {
		return nil, orchestrator.Errorf(orchestrator.CodeConflict, "there is a branch %s already", opts.Branch).
			WithHint("boo pending apply --branch ANOTHER")
	}
	if l.parent, err = e.git.BranchAt(ctx, c, "HEAD"); err != nil {
		return nil, err
	}
	l.entries, err = e.blendInto(ctx, c, l.parent, moves, "HEAD")
	return l, err
}

// blendInto merges the moves into a commit. What collides is noted at the move.
func (e *Engine) blendInto(ctx context.Context, c orchestrator.Checkout, commit orchestrator.ObjectID, moves []*move, what string) (map[orchestrator.Path]orchestrator.Entry, error) {
	there, err := e.git.At(ctx, c.CommonDir, commit, pathsOf(moves))
	if err != nil {
		return nil, err
	}
	entries := make(map[orchestrator.Path]orchestrator.Entry, len(moves))
	for _, m := range moves {
		b, err := e.blend(ctx, c.CommonDir, m.Base, there[m.Path], m.Agent, false)
		if err != nil {
			return nil, fmt.Errorf("merge %s with %s: %w", m.Path, what, err)
		}
		if b.refused != "" && m.refused == "" {
			m.refused = "with " + what + ": " + b.refused
		}
		entries[m.Path], m.merged = b.entry, m.merged || b.merged
	}
	return entries, nil
}

func pathsOf(moves []*move) []orchestrator.Path {
	paths := make([]orchestrator.Path, len(moves))
	for i, m := range moves {
		paths[i] = m.Path
	}
	return paths
}

// seal writes the commit that a landing needs, and puts the landing on record.
func (e *Engine) seal(ctx context.Context, j *journal, l *landing, rows []orchestrator.Change) error {
	if l == nil {
		return nil
	}
	j.Landing = orchestrator.Landing{Index: l.index, Ref: l.ref, Old: l.old, Elsewhere: l.only}
	if l.ref == "" {
		return nil
	}
	tree, err := e.git.Overlay(ctx, j.CommonDir, l.parent, l.entries)
	if err != nil {
		return fmt.Errorf("write the tree of the commit: %w", err)
	}
	var parents []orchestrator.ObjectID
	if l.parent != "" {
		parents = append(parents, l.parent)
	}
	message := withTrailers(l.message, j.Chat, rows)
	j.Landing.New, err = e.git.CommitAs(ctx, j.CommonDir, e.git.Person(ctx, j.CommonDir), tree, parents, message)
	if err != nil {
		return fmt.Errorf("write the commit: %w", err)
	}
	return nil
}

// withTrailers ends a commit message with who made the changes and where.
func withTrailers(message string, chat orchestrator.ChatID, rows []orchestrator.Change) string {
	message = strings.TrimRight(message, "\n")
	if strings.TrimSpace(message) == "" {
		message = fmt.Sprintf("Changes from chat %s", chat)
	}
	var b strings.Builder
	b.WriteString(message + "\n\n")
	var turns []orchestrator.TurnID
	agents := map[orchestrator.AgentName]bool{}
	known := map[orchestrator.TurnID]bool{}
	for _, row := range rows {
		for _, by := range row.Contributors {
			if by.Agent != orchestrator.Person && !agents[by.Agent] {
				agents[by.Agent] = true
				fmt.Fprintf(&b, "Co-authored-by: %s <%s@agents.boo.invalid>\n", by.Agent, by.Agent)
			}
			if by.Turn != "" && !known[by.Turn] {
				known[by.Turn] = true
				turns = append(turns, by.Turn)
			}
		}
	}
	fmt.Fprintf(&b, "Boo-Chat: %s\n", chat)
	for _, t := range turns {
		fmt.Fprintf(&b, "Boo-Turn: %s\n", t)
	}
	return b.String()
}

// land carries the landing of a record out: the index first, the ref last.
func (e *Engine) land(ctx context.Context, j *journal) error {
	if len(j.Landing.Index) > 0 {
		if err := e.git.Stage(ctx, j.checkout, j.Landing.Index, j.OldBaseline); err != nil {
			return err
		}
	}
	if j.Landing.Ref == "" {
		return nil
	}
	e.mark("ref")
	message := fmt.Sprintf("boo: %s of chat %s", j.ID, j.Chat)
	return e.git.MoveBranch(ctx, j.checkout, j.Landing.Ref, j.Landing.Old, j.Landing.New, message)
}

func (e *Engine) stagedAt(ctx context.Context, c orchestrator.Checkout, steps []orchestrator.IndexStep) (map[orchestrator.Path]orchestrator.Entry, error) {
	paths := make([]orchestrator.Path, len(steps))
	for i, s := range steps {
		paths[i] = s.Path
	}
	return e.git.Staged(ctx, c, paths)
}

// unland takes back what a record that did not come to count did beside the
// files. What somebody else has moved since stays.
func (e *Engine) unland(ctx context.Context, a orchestrator.Apply) error {
	c := orchestrator.Checkout{Dir: a.Checkout, GitDir: a.GitDir, CommonDir: a.CommonDir}
	l := a.Landing
	if l.Ref == "" && len(l.Index) == 0 {
		return nil
	}
	made := l.New
	if a.Undoing {
		made = "" // an undo moves the ref to a commit that was there before
	}
	if err := e.git.Landed(ctx, c, l.Ref, made); err != nil {
		return err
	}
	if l.Ref != "" {
		err := e.git.MoveBranch(ctx, c, l.Ref, l.New, l.Old, fmt.Sprintf("boo: take %s back", a.ID))
		if err != nil && orchestrator.CodeOf(err) != orchestrator.CodeConflict {
			return fmt.Errorf("set %s back: %w", l.Ref, err)
		}
	}
	if len(l.Index) == 0 {
		return nil
	}
	now, err := e.stagedAt(ctx, c, l.Index)
	if err != nil {
		return fmt.Errorf("read what is staged: %w", err)
	}
	var back []orchestrator.IndexStep
	for _, s := range l.Reversed().Index {
		if now[s.Path] == s.Before {
			back = append(back, s)
		}
	}
	if len(back) == 0 {
		return nil
	}
	return e.git.Stage(ctx, c, back, a.OldBaseline)
}

// takeBack undoes on disk what a record that does not count did.
func (e *Engine) takeBack(ctx context.Context, a orchestrator.Apply) ([]orchestrator.PathConflict, error) {
	e.mark("unland")
	landed := e.unland(ctx, a)
	kept, err := e.restoreFiles(a)
	return kept, errors.Join(landed, err)
}
