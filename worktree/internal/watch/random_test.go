package watch_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/watch"
)

// state is what a scan of the tree sees: a path and what lies there.
type state map[orchestrator.Path]string

func (tr tree) scan() state {
	tr.t.Helper()
	s := state{}
	tr.must(filepath.WalkDir(tr.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(path, tr.dir+"/")
		what := info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += string(content)
		}
		s[orchestrator.Path(rel)] = what
		return nil
	}))
	return s
}

// Whatever is done to a tree, as fast as it can be done, every path that
// differs afterwards is among the touched ones.
func TestNoChangeIsMissed(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			tr := newTree(t)
			for range 200 {
				tr.randomStep(rng)
			}
			tr = tr.start(watch.Options{})
			before := tr.scan()
			for round := range 30 {
				for range 1 + rng.IntN(60) {
					tr.randomStep(rng)
				}
				c := tr.drain()
				after := tr.scan()
				if c.Lost != watch.NotLost {
					t.Fatalf("lost: %s", c.Lost)
				}
				for path := range union(before, after) {
					if before[path] != after[path] && !covered(c, path) {
						t.Errorf("round %d: %s went from %.20q to %.20q unnoticed", round, path, before[path], after[path])
					}
				}
				before = after
			}
		})
	}
}

func union(a, b state) map[orchestrator.Path]bool {
	all := map[orchestrator.Path]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return all
}

// covered says whether a caller who does as Changes asks would look at path: a
// file is named, or was known below a directory that is. What came has to be
// named itself.
func covered(c watch.Changes, path orchestrator.Path) bool {
	for _, file := range c.Files {
		if file == path {
			return true
		}
	}
	for _, dir := range c.Trees {
		if path.Under(dir) {
			return true
		}
	}
	return false
}

var steps int

// randomStep does one thing that a program may do to a tree; that it fails, as
// for a name that is not there, is part of the game.
func (tr tree) randomStep(rng *rand.Rand) {
	name := func() string {
		parts := make([]string, 1+rng.IntN(4))
		for i := range parts {
			parts[i] = string(rune('a' + rng.IntN(4)))
		}
		return tr.path(filepath.Join(parts...))
	}
	steps++
	switch rng.IntN(8) {
	case 0, 1, 2:
		path := name()
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, fmt.Append(nil, steps), 0o644)
	case 3:
		_ = os.MkdirAll(name(), 0o755)
	case 4:
		_ = os.Rename(name(), name())
	case 5:
		_ = os.RemoveAll(name())
	case 6:
		_ = os.Symlink("a", name())
	case 7: // out of the tree and back in
		out := tr.dir + "-out"
		if os.Rename(name(), out) == nil {
			_ = os.WriteFile(filepath.Join(out, "b"), fmt.Append(nil, steps), 0o644)
			_ = os.Rename(out, name())
			_ = os.RemoveAll(out)
		}
	}
}
