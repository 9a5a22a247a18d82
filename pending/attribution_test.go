package pending_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// credits is what the pending set has to say, kept by hand: whose shares
// touched a path since it last was at its baseline.
type credits map[orchestrator.Path][]orchestrator.Contribution

// step takes in one share, which git lists, and drops what git says is at its
// baseline.
func (c credits) step(w *world, before, after orchestrator.ObjectID, by orchestrator.Contribution) {
	for _, path := range w.differing(before, after) {
		if !slices.Contains(c[path], by) {
			c[path] = append(c[path], by)
		}
	}
	c.settle(w)
}

func (c credits) settle(w *world) {
	differs := map[orchestrator.Path]bool{}
	for _, path := range w.differing(w.worktree().Baseline, w.last) {
		differs[path] = true
	}
	for path := range c {
		if !differs[path] {
			delete(c, path)
		}
	}
}

func (c credits) check(w *world) {
	w.t.Helper()
	rows := w.pending()
	if len(rows) != len(c) {
		w.t.Errorf("%d rows, want %d", len(rows), len(c))
	}
	for _, r := range rows {
		if !slices.Equal(r.Contributors, c[r.Path]) {
			w.t.Errorf("%s is credited to %v, want %v", r.Path, r.Contributors, c[r.Path])
		}
		if by := c[r.Path]; len(by) > 0 && r.Turn != by[len(by)-1].Turn {
			w.t.Errorf("%s was last touched in turn %s, want %s", r.Path, r.Turn, by[len(by)-1].Turn)
		}
	}
}

// differing lists with plain git the paths that differ.
func (w *world) differing(from, to orchestrator.ObjectID) []orchestrator.Path {
	w.t.Helper()
	var paths []orchestrator.Path
	for name := range strings.SplitSeq(w.run(w.repo, "diff-tree", "-r", "-z", "--no-renames", "--name-only", string(from), string(to)), "\x00") {
		if name != "" {
			paths = append(paths, orchestrator.Path(name))
		}
	}
	return paths
}

func TestContributorsAreThoseWhoseSharesTouchedThePath(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			names := []string{"a", "b", "d/c", "d/e", "f g"}
			files := map[string]string{}
			for _, name := range names[:3] {
				files[name] = warText(r)
			}
			w := newWorld(t, files)
			owed := credits{}
			for range 12 {
				by := []orchestrator.AgentName{"goose", "qwen", orchestrator.Person}[r.IntN(3)]
				before := w.last
				turn := w.turn(by, func(dir string) { warEdits(t, r, dir, names, files) })
				owed.step(w, before, w.last, orchestrator.Contribution{Agent: by, Turn: turn})
				owed.check(w)
				w.checkSet()
				if rows := w.pending(); len(rows) > 0 && r.IntN(4) == 0 {
					w.mustApply(rows[r.IntN(len(rows))].Path)
					owed.settle(w)
					owed.check(w)
				}
			}
		})
	}
}

// warEdits does a few things to a few files: what they are, whether they are
// there, whether they run; or puts them back where they began.
func warEdits(t *testing.T, r *rand.Rand, dir string, names []string, base map[string]string) {
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		path := filepath.Join(dir, name)
		_, err := os.Stat(path)
		switch there := err == nil; {
		case r.IntN(5) == 0 && base[name] != "":
			write(t, dir, map[string]string{name: base[name]})
		case there && r.IntN(5) == 0:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		case there && r.IntN(5) == 0:
			if err := os.Chmod(path, 0o644|os.FileMode(r.IntN(2))*0o111); err != nil {
				t.Fatal(err)
			}
		default:
			write(t, dir, map[string]string{name: warText(r)})
		}
	}
}

// warText is eight lines of which each is one of two, so that the same file
// comes up again at times.
func warText(r *rand.Rand) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "line %d%s\n", i, []string{"", "!"}[r.IntN(2)])
	}
	return b.String()
}
