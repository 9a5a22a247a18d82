package worktree_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// TestSnapshotsOfRandomWorkEqualPlainGit takes a snapshot after every few
// random edits, of which many fall into one tick of the clock, and compares
// each with plain git's tree of the same files.
func TestSnapshotsOfRandomWorkEqualPlainGit(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newRandomWork(t, seed)
			var newest orchestrator.ObjectID
			for round := range 12 {
				for range 1 + w.rng.IntN(6) {
					w.step()
				}
				if round%5 == 4 {
					w.f.git(w.f.repo, "gc", "-q", "--prune=now")
				}
				snap := w.f.snapshot(w.wt)
				if want := w.f.oracle(w.wt, w.forcedNow(), nil); snap.Tree != want {
					t.Fatalf("round %d after %s\nsnapshot:\n%s\nplain git:\n%s", round, strings.Join(w.log, ", "),
						w.f.listing(w.f.repo, snap.Tree), w.f.listing(w.f.root+"/oracle", want))
				}
				if newest != "" && snap.Parent != newest {
					t.Fatalf("round %d: parent %s, want %s", round, snap.Parent, newest)
				}
				newest = snap.Commit
			}
			w.f.git(w.f.repo, "fsck", "--strict", "--no-dangling")
			if kept, _ := filepath.Glob(w.f.repo + "/.git/objects/pack/*.keep"); len(kept) > 0 {
				t.Errorf("packs are kept for good: %q", kept)
			}
		})
	}
}

// TestSnapshotsOfRandomSparseWorkEqualPlainGit is the same in worktrees that are
// limited to a directory. What is outside of it and not there is not deleted.
func TestSnapshotsOfRandomSparseWorkEqualPlainGit(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newRandomWork(t, 200+4*seed, "dira")
			for round := range 8 {
				for range 1 + w.rng.IntN(6) {
					w.step()
				}
				snap := w.f.snapshot(w.wt)
				if want := w.f.oracle(w.wt, w.forcedNow(), nil); snap.Tree != want {
					t.Fatalf("round %d after %s\nsnapshot:\n%s\nplain git:\n%s", round, strings.Join(w.log, ", "),
						w.f.listing(w.f.repo, snap.Tree), w.f.listing(w.f.root+"/oracle", want))
				}
			}
		})
	}
}

// randomWork is an agent without a plan.
type randomWork struct {
	f      *fixture
	rng    *rand.Rand
	wt     orchestrator.Worktree
	forced map[string]bool
	odd    bool // line ends are converted, and there are repositories in the tree
	log    []string
}

func newRandomWork(t *testing.T, seed uint64, sparse ...string) *randomWork {
	w := &randomWork{rng: rand.New(rand.NewPCG(seed, 7)), forced: map[string]bool{}, odd: seed%4 == 3}
	w.f = newFixture(t, func(o *worktree.Options) {
		o.Fallback = func(why error) {
			if !w.odd && len(sparse) == 0 && !errors.Is(why, worktree.ErrUnwatched) {
				t.Errorf("left to git after %s: %v", strings.Join(w.log, ", "), why)
			}
		}
	})
	for i := range 60 {
		w.f.write(fmt.Sprintf("%s/%s", w.f.repo, w.name()), fmt.Sprintf("base %d\n", i))
	}
	w.f.write(w.f.repo+"/.gitignore", "*.log\nout/\n")
	if w.odd {
		w.f.write(w.f.repo+"/.gitattributes", "* text=auto\nfb* eol=crlf\nfy* -text\nfx* filter=none\n")
	}
	w.f.commit()
	w.wt = w.f.sparse(sparse...)
	return w
}

// name makes up a path. There are few, so that they meet again.
func (w *randomWork) name() string {
	parts := []string{"a", "a.b", "a0", "b", "out", "x.log", "y.log", "ä"}
	var path []string
	for range w.rng.IntN(3) {
		path = append(path, "dir"+parts[w.rng.IntN(4)])
	}
	return strings.Join(append(path, "f"+parts[w.rng.IntN(len(parts))]), "/")
}

func (w *randomWork) step() {
	dir, name := string(w.wt.Dir), w.name()
	path := filepath.Join(dir, name)
	steps := map[string]func(){
		"write":   func() { w.clear(path); w.f.write(path, fmt.Sprintf("%d\n", w.rng.IntN(3))) },
		"remove":  func() { w.f.remove(path) },
		"dir":     func() { w.clear(path); w.f.remove(path); w.f.write(path+"/below/file", "x\n") },
		"symlink": func() { w.clear(path); w.f.mkdir(filepath.Dir(path)); w.f.symlink("nowhere", path) },
		"chmod": func() {
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				w.f.chmod(path, info.Mode().Perm()^0o111)
			}
		},
		"ignore": func() {
			rules := []string{"*.log\nout/\n", "fa*\n", "!fx.log\n", "dira/\n"}
			w.f.write(dir+"/.gitignore", rules[w.rng.IntN(len(rules))])
		},
		"ignored directory": func() { w.f.write(dir+"/out/o", "o\n") },
		"rename": func() {
			from := filepath.Join(dir, "dir"+[]string{"a", "b"}[w.rng.IntN(2)])
			to := from + "moved"
			w.f.remove(to)
			_ = os.Rename(from, to) // it may not be there
		},
		"git status": func() { w.f.git(dir, "status") },
		"git add":    func() { w.f.git(dir, "add", "-A") },
		"git add -f": func() {
			w.clear(path)
			w.f.remove(path)
			w.f.write(path, "forced\n")
			w.f.git(dir, "add", "-f", "--sparse", "--", name)
		},
		"git commit": func() { w.f.git(dir, "commit", "-q", "--allow-empty", "-am", "agent") },
	}
	if w.odd {
		steps["line ends"] = func() { w.clear(path); w.f.write(path, fmt.Sprintf("%d\r\n$Id$\r\n", w.rng.IntN(3))) }
		steps["attributes"] = func() {
			rules := []string{"* text=auto\n", "* -text\n", "fa* text eol=crlf\n", "fa.b ident\n"}
			w.f.write(filepath.Dir(path)+"/.gitattributes", rules[w.rng.IntN(len(rules))])
		}
		steps["repository"] = func() {
			w.f.remove(dir + "/nested")
			w.f.mkdir(dir + "/nested")
			w.f.git(dir+"/nested", "init", "-q")
			w.f.git(dir+"/nested", "commit", "-q", "--allow-empty", "-m", fmt.Sprint(w.rng.IntN(3)))
		}
	}
	kind := slices.Sorted(maps.Keys(steps))[w.rng.IntN(len(steps))]
	w.log = append(w.log, kind+" "+name)
	steps[kind]()
}

// clear takes away what would be a file above path.
func (w *randomWork) clear(path string) {
	for up := filepath.Dir(path); len(up) > len(w.wt.Dir); up = filepath.Dir(up) {
		if info, err := os.Lstat(up); err == nil && !info.IsDir() {
			w.f.remove(up)
		}
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() || err == nil && info.Mode()&os.ModeSymlink != 0 {
		w.f.remove(path)
	}
}

// forcedNow lists what is in the agent's index and in the tree.
func (w *randomWork) forcedNow() []string {
	var paths []string
	for path := range strings.SplitSeq(w.f.git(string(w.wt.Dir), "ls-files", "-z"), "\x00") {
		if info, err := os.Lstat(filepath.Join(string(w.wt.Dir), path)); path != "" && err == nil && !info.IsDir() {
			paths = append(paths, path)
		}
	}
	return paths
}
