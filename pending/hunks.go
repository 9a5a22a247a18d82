package pending

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
)

// maxCut is the largest file in bytes that is cut into hunks.
const maxCut = 4 << 20

// Hunks implements [orchestrator.Pending]. A change that cannot be cut, because
// it is no edit of a text, is one hunk with Whole set. A hunk whose makers are
// not known is credited to all contributors of its change.
func (e *Engine) Hunks(ctx context.Context, wt orchestrator.Worktree, changes []orchestrator.Change) ([]orchestrator.ChangeHunks, error) {
	chain, err := e.chain(ctx, wt)
	if err != nil {
		return nil, err
	}
	list := make([]orchestrator.ChangeHunks, 0, len(changes))
	for _, c := range changes {
		cut, err := e.hunksOf(ctx, wt, chain, c)
		if err != nil {
			return nil, fmt.Errorf("cut %s into hunks: %w", c.Path, err)
		}
		list = append(list, orchestrator.ChangeHunks{Change: c, Hunks: cut.hunks()})
	}
	return list, nil
}

// cutting is a change with its edits.
type cutting struct {
	change   orchestrator.Change
	old, new []string
	edits    []edit // none where it cannot be cut
	makers   [][]orchestrator.AgentName
}

func (e *Engine) hunksOf(ctx context.Context, wt orchestrator.Worktree, chain *chain, c orchestrator.Change) (cutting, error) {
	cut := cutting{change: c}
	if c.Binary || !regular(c.Old) || !regular(c.New) || c.Old.ID == c.New.ID {
		return cut, nil
	}
	before, ok, err := e.text(ctx, wt.CommonDir, c.Old.ID)
	if err != nil || !ok {
		return cut, err
	}
	after, ok, err := e.text(ctx, wt.CommonDir, c.New.ID)
	if err != nil || !ok {
		return cut, err
	}
	cut.old, cut.new = splitLines(before), splitLines(after)
	cut.edits = lineDiff(cut.old, cut.new)
	if len(c.Agents()) > 1 {
		cut.makers, err = chain.makers(ctx, c, before, after, cut.edits)
	}
	return cut, err
}

// by lists who made one of the edits.
func (c cutting) by(i int) []orchestrator.AgentName {
	if i < len(c.makers) && len(c.makers[i]) > 0 {
		return c.makers[i]
	}
	return c.change.Agents()
}

const around = 3 // lines shown before and after a hunk

func (c cutting) hunks() []orchestrator.Hunk {
	if len(c.edits) == 0 {
		return []orchestrator.Hunk{{Whole: true, Agents: c.change.Agents()}}
	}
	var list []orchestrator.Hunk
	for i, e := range c.edits {
		list = append(list, orchestrator.Hunk{
			OldLine: e.oldAt + 1, NewLine: e.newAt + 1, Agents: c.by(i),
			Before: c.old[max(0, e.oldAt-around):e.oldAt], Removed: c.old[e.oldAt:e.oldEnd],
			Added: c.new[e.newAt:e.newEnd], After: c.old[e.oldEnd:min(len(c.old), e.oldEnd+around)],
		})
	}
	return list
}

// text reads a blob; ok is false if it is no text, or too large to be cut.
func (e *Engine) text(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID) (text string, ok bool, err error) {
	head := &prefix{limit: maxCut + 1}
	if err := e.git.Blob(ctx, common, id, head); err != nil {
		return "", false, err
	}
	if len(head.kept) > maxCut || bytes.IndexByte(head.kept, 0) >= 0 {
		return "", false, nil
	}
	return string(head.kept), true, nil
}

// prefix keeps the first bytes of what is written to it.
type prefix struct {
	kept  []byte
	limit int
}

// Write never fails.
func (p *prefix) Write(b []byte) (int, error) {
	p.kept = append(p.kept, b[:min(len(b), p.limit-len(p.kept))]...)
	return len(b), nil
}

// assemble is the old text with the chosen edits made.
func (c cutting) assemble(chosen func(int) bool) string {
	var b strings.Builder
	at := 0
	for i, e := range c.edits {
		if !chosen(i) {
			continue
		}
		b.WriteString(strings.Join(c.old[at:e.oldAt], ""))
		b.WriteString(strings.Join(c.new[e.newAt:e.newEnd], ""))
		at = e.oldEnd
	}
	b.WriteString(strings.Join(c.old[at:], ""))
	return b.String()
}

// part is a change, or some hunks of one, on its way.
type part struct {
	row    orchestrator.Change
	want   orchestrator.Entry // what the taken hunks make of the old side
	some   bool               // not all hunks are taken: these are
	chosen []bool
	rest   []orchestrator.AgentName
}

// whole takes changes as they are.
func whole(rows []orchestrator.Change) []part {
	parts := make([]part, len(rows))
	for i, row := range rows {
		parts[i] = part{row: row, want: row.New}
	}
	return parts
}

// wanted lists the changes that the parts come to.
func wanted(parts []part) []orchestrator.Change {
	rows := make([]orchestrator.Change, len(parts))
	for i, p := range parts {
		rows[i] = p.row
		rows[i].New = p.want
	}
	return rows
}

// cut chooses what of the rows is taken: all, or the hunks that are asked for,
// or those that are wholly one agent's. left tells what an agent's share leaves.
func (e *Engine) cut(ctx context.Context, wt orchestrator.Worktree, rows []orchestrator.Change, agent orchestrator.AgentName, hunks map[orchestrator.ChangeID][]int) ([]part, []orchestrator.LeftHunks, error) {
	var parts []part
	var left []orchestrator.LeftHunks
	var chain *chain
	for _, row := range rows {
		mine := agent == "" || slices.Contains(row.Agents(), agent)
		alone := agent == "" || len(row.Agents()) == 1
		numbers, some := hunks[row.ID]
		if !mine {
			continue
		}
		if alone && !some {
			parts = append(parts, part{row: row, want: row.New})
			continue
		}
		if chain == nil {
			var err error
			if chain, err = e.chain(ctx, wt); err != nil {
				return nil, nil, err
			}
		}
		c, err := e.hunksOf(ctx, wt, chain, row)
		if err != nil {
			return nil, nil, fmt.Errorf("cut %s into hunks: %w", row.Path, err)
		}
		p, rest, err := e.choose(ctx, wt, c, agent, numbers, some)
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			parts = append(parts, *p)
		}
		if agent != "" && rest.Hunks > 0 {
			left = append(left, rest)
		}
	}
	return parts, left, nil
}

// choose takes the chosen edits of one change; nil if that is none.
func (e *Engine) choose(ctx context.Context, wt orchestrator.Worktree, c cutting, agent orchestrator.AgentName, numbers []int, some bool) (*part, orchestrator.LeftHunks, error) {
	rest := orchestrator.LeftHunks{Change: c.change.ID, Path: c.change.Path}
	n := max(1, len(c.edits))
	taken := 0
	chosen := make([]bool, n)
	for i := range n {
		by := c.by(i)
		chosen[i] = (!some || slices.Contains(numbers, i)) && (agent == "" || len(by) == 1 && by[0] == agent)
		switch {
		case chosen[i]:
			taken++
		case agent == "" || slices.Contains(by, agent):
			rest.Hunks++
			for _, name := range by {
				if !slices.Contains(rest.Agents, name) {
					rest.Agents = append(rest.Agents, name)
				}
			}
		}
	}
	switch taken {
	case 0:
		return nil, rest, nil
	case n:
		return &part{row: c.change, want: c.change.New}, rest, nil
	}
	id, err := e.git.PutBlob(ctx, wt.CommonDir, strings.NewReader(c.assemble(func(i int) bool { return chosen[i] })))
	if err != nil {
		return nil, rest, fmt.Errorf("write a part of %s: %w", c.change.Path, err)
	}
	p := &part{row: c.change, want: orchestrator.Entry{Mode: c.change.Old.Mode, ID: id}, some: true, chosen: chosen}
	for i := range n {
		if !chosen[i] {
			p.rest = append(p.rest, c.by(i)...)
		}
	}
	return p, rest, nil
}

// rest makes the rows of what stays pending of changes taken in part.
func (e *Engine) rest(ctx context.Context, wt orchestrator.Worktree, parts []part) ([]orchestrator.Change, error) {
	from, to := map[orchestrator.Path]orchestrator.Entry{}, map[orchestrator.Path]orchestrator.Entry{}
	by := map[orchestrator.Path]part{}
	for _, p := range parts {
		if p.some {
			from[p.row.Path], to[p.row.Path], by[p.row.Path] = p.want, p.row.New, p
		}
	}
	if len(by) == 0 {
		return nil, nil
	}
	diff, err := e.between(ctx, wt.CommonDir, from, to)
	if err != nil {
		return nil, err
	}
	var rows []orchestrator.Change
	for _, d := range diff {
		p := by[d.Path]
		row := p.row
		row.ID, row.FileChange, row.CreatedAt = orchestrator.NewChangeID(), d, e.now()
		row.Contributors = slices.DeleteFunc(slices.Clone(row.Contributors), func(c orchestrator.Contribution) bool {
			return !slices.Contains(p.rest, c.Agent)
		})
		rows = append(rows, row)
	}
	return rows, nil
}
