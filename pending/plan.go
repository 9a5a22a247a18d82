package pending

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"boo/orchestrator"
)

// plan works out what applying the parts would write, without writing.
func (e *Engine) plan(ctx context.Context, t *tree, c orchestrator.Checkout, parts []part, markers bool) ([]*move, error) {
	moves := movesOf(parts)
	hints := func(m *move) orchestrator.Entry {
		if m.Base.Exists() {
			return m.Base
		}
		return m.Agent
	}
	s := newSurvey(t, idWidth(moves))
	if err := e.inspect(ctx, s, c, moves, hints); err != nil {
		return nil, err
	}
	for _, m := range moves {
		if m.refused = m.at.forbids(m.Agent.Exists()); m.refused != "" {
			continue
		}
		b, err := e.blend(ctx, c.CommonDir, m.Base, m.Before, m.Agent, markers)
		if err != nil {
			return nil, fmt.Errorf("merge %s: %w", m.Path, err)
		}
		m.After, m.merged, m.marked, m.refused = b.entry, b.merged, b.marked, b.refused
		m.already = m.After == m.Before
		if m.already {
			m.AfterRaw = m.BeforeRaw
		}
	}
	return moves, makeRoom(s, moves)
}

// movesOf makes a move of each part, by path.
func movesOf(parts []part) []*move {
	moves := make([]*move, 0, len(parts))
	for _, p := range slices.SortedFunc(slices.Values(parts), func(a, b part) int { return comparePaths(a.row, b.row) }) {
		moves = append(moves, &move{
			row: p.row, part: p.some,
			ApplyStep: orchestrator.ApplyStep{Path: p.row.Path, Change: p.row.ID, Base: p.row.Old, Agent: p.want},
		})
	}
	return moves
}

func comparePaths(a, b orchestrator.Change) int {
	return strings.Compare(string(a.Path), string(b.Path))
}

// idWidth is the number of digits of the repository's object ids.
func idWidth(moves []*move) int {
	for _, m := range moves {
		for _, entry := range []orchestrator.Entry{m.Base, m.Agent, m.Before, m.After} {
			if entry.ID != "" {
				return len(entry.ID)
			}
		}
	}
	return 40
}

// readings is how often a file is read that is another one after it was read.
const readings = 3

// inspect fills in what the checkout has at each path: the place, and the file
// as git would record it. Each file is looked at before git reads it and again
// afterwards, so that both have seen the same one. It is read once more if they
// have not: also another name of it that goes, from a stage that is cleared, shows.
func (e *Engine) inspect(ctx context.Context, s *survey, c orchestrator.Checkout, moves []*move, hint func(*move) orchestrator.Entry) error {
	for n := 1; ; n++ {
		touched, err := e.read(ctx, s, c, moves, hint)
		if err != nil || len(touched) == 0 {
			return err
		}
		if n == readings {
			return fmt.Errorf("read %s: %w", touched[0].Path, errChanged)
		}
		moves = touched
		for _, m := range moves {
			m.Before, m.BeforeRaw = orchestrator.Entry{}, ""
		}
	}
}

// read is one reading of inspect; touched are those that it does not hold for.
func (e *Engine) read(ctx context.Context, s *survey, c orchestrator.Checkout, moves []*move, hint func(*move) orchestrator.Entry) (touched []*move, err error) {
	var paths []orchestrator.Path
	hints := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range moves {
		at, err := s.place(m.Path)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", m.Path, err)
		}
		m.at = at
		if at.kind == file || at.kind == link {
			paths = append(paths, m.Path)
			hints[m.Path] = hint(m)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	now, err := e.git.Current(ctx, c, paths, hints)
	if err != nil {
		return nil, fmt.Errorf("read your files: %w", err)
	}
	var mu sync.Mutex
	err = inParts(s.tree, moves, func(t *tree, m *move) error {
		if m.at.kind != file && m.at.kind != link {
			return nil
		}
		m.Before, m.BeforeRaw = now[m.Path].Entry, now[m.Path].Raw
		if m.BeforeRaw == "" && m.Before.Exists() {
			var err error
			if m.BeforeRaw, err = t.raw(m.Path, s.width); err != nil {
				return err
			}
		}
		again, err := t.look(m.Path)
		if err != nil {
			return err
		}
		if again != m.at.found || !m.Before.Exists() {
			mu.Lock()
			defer mu.Unlock()
			touched = append(touched, m)
		}
		return nil
	})
	return touched, err
}
