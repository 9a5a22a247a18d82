package pending

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// contents is a tree of one-letter files.
type contents map[orchestrator.Path]string

func diffOf(from, to contents) []orchestrator.FileChange {
	entry := func(c contents, p orchestrator.Path) orchestrator.Entry {
		s, ok := c[p]
		if !ok {
			return orchestrator.Entry{}
		}
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(s)}
	}
	all := maps.Clone(from)
	maps.Copy(all, to)
	var diff []orchestrator.FileChange
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if c := (orchestrator.FileChange{Path: p, Old: entry(from, p), New: entry(to, p)}); c.Old != c.New {
			diff = append(diff, c)
		}
	}
	return diff
}

// store applies a delta to a set of rows, checking that it only retires rows
// that are pending, each once, in favour of rows that it inserts.
func store(t *testing.T, rows []orchestrator.Change, insert []orchestrator.Change, retire map[orchestrator.ChangeID]orchestrator.ChangeID) []orchestrator.Change {
	t.Helper()
	inserted := map[orchestrator.ChangeID]bool{}
	for _, r := range insert {
		inserted[r.ID] = true
	}
	var left []orchestrator.Change
	for _, r := range rows {
		to, gone := retire[r.ID]
		if !gone {
			left = append(left, r)
			continue
		}
		if to != "" && !inserted[to] {
			t.Fatalf("row %s is superseded by %s, which is not inserted", r.ID, to)
		}
		delete(retire, r.ID)
	}
	if len(retire) > 0 {
		t.Fatalf("retires rows that are not pending: %v", retire)
	}
	left = append(left, insert...)
	slices.SortFunc(left, comparePaths)
	return left
}

func by(agent string, turn int) orchestrator.Contribution {
	return orchestrator.Contribution{Agent: orchestrator.AgentName(agent), Turn: orchestrator.TurnID(fmt.Sprintf("t%03d", turn))}
}

func TestDeltaKeepsThePendingSetEqualToTheDifference(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		base := contents{"a": "1", "b": "1", "c": "1"}
		tree := maps.Clone(base)
		var rows []orchestrator.Change
		touchedBy := map[orchestrator.Path][]orchestrator.Contribution{}
		for turn := range 12 {
			before := maps.Clone(tree)
			for range rnd.IntN(4) {
				p := orchestrator.Path(string("abcdef"[rnd.IntN(6)]))
				if v := rnd.IntN(4); v == 0 {
					delete(tree, p)
				} else {
					tree[p] = fmt.Sprint(v)
				}
			}
			who := by([]string{"goose", "qwen", "you"}[rnd.IntN(3)], turn)
			share := diffOf(before, tree)
			diff := diffOf(base, tree)
			ids := byPath(rows)
			insert, retire := step{rows: rows, diff: diff, share: share, by: who, now: time.Unix(1, 0)}.delta()
			rows = store(t, rows, insert, retire)

			for _, c := range share {
				touchedBy[c.Path] = credit(touchedBy[c.Path], who)
			}
			var got []orchestrator.FileChange
			for _, r := range rows {
				got = append(got, r.FileChange)
			}
			if !slices.Equal(got, diff) {
				t.Fatalf("seed %d turn %d: pending %v, difference %v", seed, turn, got, diff)
			}
			for p := range touchedBy {
				if base[p] == tree[p] {
					delete(touchedBy, p) // back at the baseline: the count starts anew
				}
			}
			for _, r := range rows {
				if !slices.Equal(r.Contributors, touchedBy[r.Path]) {
					t.Fatalf("seed %d turn %d: %s is credited to %v, was touched by %v", seed, turn, r.Path, r.Contributors, touchedBy[r.Path])
				}
				if last := touchedBy[r.Path][len(touchedBy[r.Path])-1].Turn; r.Turn != last {
					t.Fatalf("seed %d turn %d: %s has turn %s, newest is %s", seed, turn, r.Path, r.Turn, last)
				}
				if old, had := ids[r.Path]; had && old.FileChange == r.FileChange && old.ID != r.ID {
					t.Fatalf("seed %d turn %d: %s did not move, and got a new row", seed, turn, r.Path)
				}
			}
		}
	}
}

func TestDeltaSteps(t *testing.T) {
	t.Parallel()
	base := contents{"f": "0"}
	one := step{diff: diffOf(base, contents{"f": "1"}), share: diffOf(base, contents{"f": "1"}), by: by("goose", 1)}
	first, _ := one.delta()

	t.Run("a later turn supersedes and joins the contributors", func(t *testing.T) {
		s := step{rows: first, diff: diffOf(base, contents{"f": "2"}), share: diffOf(contents{"f": "1"}, contents{"f": "2"}), by: by("qwen", 2)}
		insert, retire := s.delta()
		if len(insert) != 1 || retire[first[0].ID] != insert[0].ID {
			t.Fatalf("insert %v, retire %v", insert, retire)
		}
		if want := []orchestrator.Contribution{by("goose", 1), by("qwen", 2)}; !slices.Equal(insert[0].Contributors, want) {
			t.Errorf("contributors %v, want %v", insert[0].Contributors, want)
		}
		if insert[0].Turn != "t002" {
			t.Errorf("turn %s", insert[0].Turn)
		}
	})
	t.Run("a path back at its baseline is retired without a successor", func(t *testing.T) {
		s := step{rows: first, share: diffOf(contents{"f": "1"}, base), by: by("qwen", 2)}
		insert, retire := s.delta()
		if to, gone := retire[first[0].ID]; len(insert) != 0 || !gone || to != "" {
			t.Fatalf("insert %v, retire %v", insert, retire)
		}
	})
	t.Run("a path that moved in nobody's share keeps its contributors and turn", func(t *testing.T) {
		s := step{rows: first, diff: diffOf(base, contents{"f": "2"}), by: by("qwen", 2)}
		insert, _ := s.delta()
		if want := []orchestrator.Contribution{by("goose", 1)}; !slices.Equal(insert[0].Contributors, want) || insert[0].Turn != "t001" {
			t.Errorf("contributors %v, turn %s", insert[0].Contributors, insert[0].Turn)
		}
	})
	t.Run("the same agent in the same turn is named once", func(t *testing.T) {
		s := step{rows: first, diff: diffOf(base, contents{"f": "2"}), share: diffOf(contents{"f": "1"}, contents{"f": "2"}), by: by("goose", 1)}
		insert, _ := s.delta()
		if len(insert[0].Contributors) != 1 {
			t.Errorf("contributors %v", insert[0].Contributors)
		}
	})
	t.Run("a superseded row's list is not shared with its successor's", func(t *testing.T) {
		first[0].Contributors = slices.Grow(first[0].Contributors, 4)
		s := step{rows: first, diff: diffOf(base, contents{"f": "2"}), share: diffOf(contents{"f": "1"}, contents{"f": "2"})}
		s.by = by("a", 2)
		one, _ := s.delta()
		s.by = by("b", 2)
		two, _ := s.delta()
		if a, b := one[0].Agents(), two[0].Agents(); strings.Join(names(a), " ") != "goose a" || strings.Join(names(b), " ") != "goose b" {
			t.Errorf("agents %v and %v", a, b)
		}
	})
}

func names(agents []orchestrator.AgentName) []string {
	list := make([]string, 0, len(agents))
	for _, a := range agents {
		list = append(list, string(a))
	}
	return list
}
