package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// chain is the history of a chat's files: who made which snapshot.
type chain struct {
	engine *Engine
	wt     orchestrator.Worktree
	links  []chainLink
}

type chainLink struct {
	commit orchestrator.ObjectID
	by     orchestrator.AgentName // "" for the base
}

// chain lists the snapshots of the chat's turns, the base first.
func (e *Engine) chain(ctx context.Context, wt orchestrator.Worktree) (*chain, error) {
	turns, err := e.store.Turns(ctx, wt.Chat)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	c := &chain{engine: e, wt: wt, links: []chainLink{{commit: wt.Base}}}
	owed := orchestrator.Person // whose work a snapshot before a turn holds
	for _, t := range turns {
		if t.Before != "" {
			c.links = append(c.links, chainLink{t.Before, owed})
			owed = t.Agent
		}
		if t.After != "" {
			c.links = append(c.links, chainLink{t.After, t.Agent})
			owed = orchestrator.Person
		}
	}
	return c, nil
}

// makers says who made each edit of a change; none where that cannot be told.
// It follows the file from the newest snapshot that has the change's old side,
// or, where a part of the change was taken before, from the base.
func (c *chain) makers(ctx context.Context, row orchestrator.Change, before, after string, edits []edit) ([][]orchestrator.AgentName, error) {
	versions := make([]orchestrator.Entry, len(c.links))
	start := 0
	for i, link := range c.links {
		at, err := c.engine.git.At(ctx, c.wt.CommonDir, link.commit, []orchestrator.Path{row.Path})
		if err != nil {
			return nil, err
		}
		if versions[i] = at[row.Path]; versions[i] == row.Old {
			start = i
		}
	}
	first, ok, err := c.textOf(ctx, versions[start])
	if err != nil || !ok {
		return nil, err
	}
	lines := newLineage(first)
	for i := start + 1; i < len(versions); i++ {
		if versions[i] == versions[i-1] {
			continue
		}
		text, ok, err := c.textOf(ctx, versions[i])
		if err != nil || !ok {
			return nil, err
		}
		lines.next(text, c.links[i].by)
	}
	if versions[len(versions)-1].ID != row.New.ID {
		lines.next(after, orchestrator.Person) // taken back in part since
	}
	at := origins(splitLines(before), splitLines(first))
	makers := make([][]orchestrator.AgentName, len(edits))
	for i, e := range edits {
		if by, ok := lines.makers(e, at); ok {
			makers[i] = by
		}
	}
	return makers, nil
}

// textOf reads a version; one that is no file has no lines.
func (c *chain) textOf(ctx context.Context, v orchestrator.Entry) (string, bool, error) {
	if !regular(v) {
		return "", true, nil
	}
	return c.engine.text(ctx, c.wt.CommonDir, v.ID)
}
