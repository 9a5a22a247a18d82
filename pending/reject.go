package pending

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
)

// inside is a chat's worktree as a place to write in. Its git directory is the
// repository's own: the file that names one in the worktree is the agents' to
// change.
func inside(wt orchestrator.Worktree) orchestrator.Checkout {
	return orchestrator.Checkout{Dir: orchestrator.CheckoutDir(wt.Dir), GitDir: wt.CommonDir, CommonDir: wt.CommonDir}
}

const rejecting = "reject in"

// Reject implements [orchestrator.Pending]: the files of the changes go back to
// the baseline in the chat's worktree, a snapshot shows it, the rows are
// rejected, and those who made them are told at their next turn. All or
// nothing, as with an apply, and undone in the same way.
func (e *Engine) Reject(ctx context.Context, req orchestrator.RejectRequest) (orchestrator.ApplyResult, error) {
	c := inside(req.Worktree)
	result := orchestrator.ApplyResult{Kind: orchestrator.KindReject, Chat: req.Worktree.Chat, Checkout: c.Dir}
	if len(req.Changes) == 0 {
		return result, orchestrator.Errorf(orchestrator.CodeInvalid, "nothing to reject").WithHint("boo pending ls")
	}
	ctx, done := e.git.Hold(ctx, c)
	defer done()
	wt, err := e.store.Worktree(ctx, req.Worktree.Chat)
	if err != nil {
		return result, err
	}
	rows, err := e.fresh(ctx, wt.Chat, req.Changes)
	if err != nil {
		return result, err
	}
	parts, left, err := e.cut(ctx, wt, rows, req.Options.Agent, req.Options.Hunks)
	if err != nil {
		return result, untouched(rejecting, c.Dir, err)
	}
	if result.Left = left; len(parts) == 0 {
		return result, nil
	}
	back, err := e.reversed(ctx, wt, parts)
	if err != nil {
		return result, untouched(rejecting, c.Dir, err)
	}
	t, err := openTree(string(c.Dir))
	if err != nil {
		return result, untouched(rejecting, c.Dir, err)
	}
	defer t.close()
	moves, err := e.plan(ctx, t, c, back, false)
	if err != nil {
		return result, untouched(rejecting, c.Dir, err)
	}
	if result.Conflict = refusals(moves); len(result.Conflict) > 0 {
		return result, collision(rejecting, c.Dir, result.Conflict, len(moves), "boo pending diff")
	}
	for _, m := range moves {
		m.row.FileChange = turned(m.row.FileChange)
	}
	result.Files = files(moves)
	j := &journal{Apply: e.record(wt, c), checkout: c, moves: moves, tree: t}
	j.Kind, j.Origin = orchestrator.KindReject, req.Origin
	notes := rejectNotes(parts, req.Options.Reason)
	result.Conflict, err = e.run(ctx, j, rejecting, work{
		fill: func() error { return e.materialize(ctx, j) },
		commit: func(ctx context.Context) error {
			return e.recorded(ctx, wt, fmt.Sprintf("boo: reject %s of chat %s\n\nBoo-Reject: %s\n", j.ID, j.Chat, j.ID), func(d orchestrator.ChangeDelta) error {
				return e.store.CommitReject(ctx, j.Apply, d, req.Options.Reason, notes)
			})
		},
	})
	if err != nil {
		result.Files = nil
		return result, err
	}
	result.ID, result.State = j.ID, orchestrator.ApplyApplied
	return result, nil
}

// reversed turns parts round: what is taken out of the chat's files leads from
// the snapshot to what the other hunks make of the baseline.
func (e *Engine) reversed(ctx context.Context, wt orchestrator.Worktree, parts []part) ([]part, error) {
	back := make([]part, len(parts))
	for i, p := range parts {
		row := p.row
		row.FileChange = turned(row.FileChange)
		want := p.row.Old
		if p.some {
			var err error
			if want, err = e.without(ctx, wt, p); err != nil {
				return nil, err
			}
		}
		back[i] = part{row: row, want: want, some: p.some}
	}
	return back, nil
}

// without is the change with the hunks of the part taken out of it.
func (e *Engine) without(ctx context.Context, wt orchestrator.Worktree, p part) (orchestrator.Entry, error) {
	taken, ok, err := e.text(ctx, wt.CommonDir, p.want.ID)
	if err != nil || !ok {
		return orchestrator.Entry{}, fmt.Errorf("read a part of %s: %w", p.row.Path, err)
	}
	old, _, err := e.text(ctx, wt.CommonDir, p.row.Old.ID)
	if err != nil {
		return orchestrator.Entry{}, err
	}
	after, _, err := e.text(ctx, wt.CommonDir, p.row.New.ID)
	if err != nil {
		return orchestrator.Entry{}, err
	}
	c := cutting{old: splitLines(old), new: splitLines(after)}
	c.edits = lineDiff(c.old, c.new)
	chosen := p.chosen
	if c.assemble(func(i int) bool { return chosen[i] }) != taken {
		return orchestrator.Entry{}, fmt.Errorf("cut %s: its hunks do not add up", p.row.Path)
	}
	rest := c.assemble(func(i int) bool { return !chosen[i] })
	id, err := e.git.PutBlob(ctx, wt.CommonDir, strings.NewReader(rest))
	return orchestrator.Entry{Mode: p.row.New.Mode, ID: id}, err
}

func turned(c orchestrator.FileChange) orchestrator.FileChange {
	c.Old, c.New = c.New, c.Old
	c.Added, c.Deleted = c.Deleted, c.Added
	return c
}

// CatchUp implements [orchestrator.Pending].
func (e *Engine) CatchUp(ctx context.Context, chat orchestrator.ChatID) error {
	wt, err := e.store.Worktree(ctx, chat)
	if err != nil {
		return err
	}
	if err := e.settle(ctx, inside(wt)); err != nil {
		return err
	}
	_, err = e.catchUp(ctx, chat)
	return err
}

// catchUp records what nobody has recorded yet in the chat's worktree: edits of
// the person's, or of a turn whose own end could not be. It returns the worktree
// as the store has it.
func (e *Engine) catchUp(ctx context.Context, chat orchestrator.ChatID) (orchestrator.Worktree, error) {
	wt, err := e.store.Worktree(ctx, chat)
	if err != nil {
		return wt, err
	}
	turns, err := e.store.Turns(ctx, chat)
	if err != nil {
		return wt, err
	}
	by := orchestrator.Contribution{Agent: orchestrator.Person}
	for _, t := range turns {
		if t.Before != "" {
			by = orchestrator.Contribution{Agent: orchestrator.Person, Turn: t.ID}
			if t.After == "" {
				by.Agent = t.Agent
			}
		}
	}
	newest, err := e.git.Newest(ctx, wt)
	if err != nil {
		return wt, err
	}
	who := orchestrator.Signature{When: e.now()} // the person's
	snap, err := e.git.SnapshotChanges(ctx, wt, who, fmt.Sprintf("boo: before a reject in chat %s\n", chat))
	if err != nil {
		return wt, err
	}
	from := newest.Commit
	if from == "" {
		from = wt.Base
	}
	share, err := e.git.Diff(ctx, wt.CommonDir, from, snap.Commit)
	if err != nil {
		return wt, err
	}
	return wt, e.untilBaselineHolds(ctx, chat, func(wt orchestrator.Worktree) error {
		delta, err := e.Delta(ctx, wt, snap.Commit, share, by)
		if err != nil {
			return err
		}
		return e.store.StoreDelta(ctx, delta)
	})
}

// recorded takes a snapshot of the chat's worktree and stores what it does to
// the pending set.
func (e *Engine) recorded(ctx context.Context, wt orchestrator.Worktree, message string, store func(orchestrator.ChangeDelta) error) error {
	who := e.git.Person(ctx, wt.CommonDir)
	who.When = e.now()
	e.mark("snapshot")
	snap, err := e.git.Snapshot(ctx, wt, who, message)
	if err != nil {
		return err
	}
	e.mark("store")
	return e.untilBaselineHolds(ctx, wt.Chat, func(wt orchestrator.Worktree) error {
		delta, err := e.Delta(ctx, wt, snap.Commit, nil, orchestrator.Contribution{})
		if err != nil {
			return err
		}
		return store(delta)
	})
}

// untilBaselineHolds tries again where an apply has moved the baseline in the
// same moment.
func (e *Engine) untilBaselineHolds(ctx context.Context, chat orchestrator.ChatID, store func(orchestrator.Worktree) error) error {
	const tries = 5
	for try := 1; ; try++ {
		wt, err := e.store.Worktree(ctx, chat)
		if err != nil {
			return err
		}
		if err = store(wt); err == nil || orchestrator.CodeOf(err) != orchestrator.CodeConflict || try == tries {
			return err
		}
	}
}

// rejectNotes tells each agent which of its changes were rejected, and why.
func rejectNotes(parts []part, reason string) []orchestrator.Note {
	var notes []orchestrator.Note
	paths := map[orchestrator.AgentName][]string{}
	var order []orchestrator.AgentName
	for _, p := range parts {
		what := p.row.Path.String()
		if p.some {
			what += " (a part of it)"
		}
		for _, a := range p.row.Agents() {
			if a == orchestrator.Person {
				continue
			}
			if paths[a] == nil {
				order = append(order, a)
			}
			paths[a] = append(paths[a], what)
		}
	}
	const shown = 50
	for _, a := range order {
		slices.Sort(paths[a])
		var b strings.Builder
		b.WriteString("The person rejected changes that you made. They are gone from the worktree, and these files are as they were before:\n")
		for _, p := range paths[a][:min(shown, len(paths[a]))] {
			b.WriteString("- " + p + "\n")
		}
		if n := len(paths[a]) - shown; n > 0 {
			fmt.Fprintf(&b, "- and %d more\n", n)
		}
		if reason != "" {
			b.WriteString("The reason that the person gave:\n" + reason + "\n")
		}
		notes = append(notes, orchestrator.Note{Agent: a, Text: b.String()})
	}
	return notes
}
