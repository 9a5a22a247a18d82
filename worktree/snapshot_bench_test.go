package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// BenchmarkSnapshot takes snapshots of a worktree in which some files change
// before each of them, next to "git status" on the same worktree.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range sizes() {
		for _, changed := range []int{0, 1, 10, 1000} {
			if changed > n {
				continue
			}
			b.Run(fmt.Sprintf("files=%d/changed=%d", n, changed), func(b *testing.B) {
				f := newBench(b, n)
				wt := f.create()
				round := 0
				edit := func() {
					round++
					for i := range changed {
						k := i * (n / changed)
						name := fmt.Sprintf("area%03d/part%04d/file%05d.c", k/640, k/16, k)
						f.must(os.WriteFile(filepath.Join(string(wt.Dir), name), fmt.Appendf(nil, "round %d\n%s", round, name), 0o644))
					}
				}
				f.snapshot(wt)
				f.contestAfter(edit, map[string]func(){
					"git":      func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
					"snapshot": func() { f.snapshot(wt) },
				})
			})
		}
	}
}

// BenchmarkWatched takes snapshots of what a watcher has seen, each confirmed
// outside of what is measured, next to "git status" on the same worktree.
func BenchmarkWatched(b *testing.B) {
	for _, n := range sizes() {
		for _, changed := range []int{1, 10, 1000} {
			if changed > n {
				continue
			}
			b.Run(fmt.Sprintf("files=%d/changed=%d", n, changed), func(b *testing.B) {
				f := newBench(b, n)
				wt := f.create()
				f.snapshot(wt)
				watch := f.engine.Watch(b.Context(), wt)
				defer watch.Close()
				f.must(worktree.Opened(watch))
				round, open := 0, false
				edit := func() {
					if open {
						_, err := watch.Confirm(b.Context(), goose, "turn\n")
						f.must(err)
					}
					open = false
					round++
					for i := range changed {
						k := i * (n / changed)
						name := fmt.Sprintf("area%03d/part%04d/file%05d.c", k/640, k/16, k)
						f.must(os.WriteFile(filepath.Join(string(wt.Dir), name), fmt.Appendf(nil, "round %d\n%s", round, name), 0o644))
					}
				}
				f.contestAfter(edit, map[string]func(){
					"git": func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
					"watched": func() {
						snap, err := watch.Snapshot(b.Context(), goose, "turn\n")
						f.must(err)
						open = !snap.Verified
					},
				})
			})
		}
	}
}

// BenchmarkTurn takes the two snapshots of a turn that changes three files,
// next to one "git status".
func BenchmarkTurn(b *testing.B) {
	f := newBench(b, 300)
	wt := f.create()
	f.snapshot(wt)
	round := 0
	f.contest(map[string]func(){
		"git": func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
		"turn": func() {
			f.snapshot(wt)
			round++
			for i := range 3 {
				f.must(os.WriteFile(fmt.Sprintf("%s/area000/part0000/file%05d.c", wt.Dir, i), fmt.Appendf(nil, "round %d\n", round), 0o644))
			}
			f.snapshot(wt)
		},
	})
}

func (f *bench) snapshot(wt orchestrator.Worktree) {
	f.Helper()
	_, err := f.engine.Snapshot(f.Context(), wt, goose, "turn\n")
	f.must(err)
}
