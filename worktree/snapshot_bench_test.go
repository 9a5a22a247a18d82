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
	changing(b, []int{0, 1, 10, 1000}, func(f *bench, wt orchestrator.Worktree, edit func()) {
		f.snapshot(wt)
		f.contestAfter(edit, map[string]func(){
			"git":      func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
			"snapshot": func() { f.snapshot(wt) },
		})
	})
}

// BenchmarkWatched takes snapshots of what a watcher has seen, each confirmed
// outside of what is measured, next to "git status" on the same worktree.
func BenchmarkWatched(b *testing.B) {
	changing(b, []int{1, 10, 1000}, func(f *bench, wt orchestrator.Worktree, edit func()) {
		f.snapshot(wt)
		watch := f.engine.Watch(f.Context(), wt)
		defer watch.Close()
		f.must(worktree.Opened(watch))
		open := false
		confirm := func() {
			if open {
				_, err := watch.Confirm(f.Context(), goose, "turn\n")
				f.must(err)
			}
			open = false
			edit()
		}
		f.contestAfter(confirm, map[string]func(){
			"git": func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
			"watched": func() {
				snap, err := watch.Snapshot(f.Context(), goose, "turn\n")
				f.must(err)
				open = !snap.Verified
			},
		})
	})
}

// changing runs a benchmark for numbers of files that edit changes, in one
// worktree of each size.
func changing(b *testing.B, numbers []int, run func(f *bench, wt orchestrator.Worktree, edit func())) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			f := newBench(b, n)
			wt, round := f.create(), 0
			for _, changed := range numbers {
				if changed > n {
					continue
				}
				b.Run(fmt.Sprintf("changed=%d", changed), func(b *testing.B) {
					f := *f
					f.B = b
					run(&f, wt, func() {
						round++
						for i := range changed {
							k := i * (n / changed)
							name := fmt.Sprintf("area%03d/part%04d/file%05d.c", k/640, k/16, k)
							f.must(os.WriteFile(filepath.Join(string(wt.Dir), name), fmt.Appendf(nil, "round %d\n%s", round, name), 0o644))
						}
					})
				})
			}
		})
	}
}

// BenchmarkTurn takes the two snapshots of a turn that changes three files, as a
// turn takes them, next to one "git status": those that it waits for, and these
// together with the confirmation that comes after it.
func BenchmarkTurn(b *testing.B) {
	f := newBench(b, 300)
	wt := f.create()
	f.snapshot(wt)
	round := 0
	var watch orchestrator.TreeWatch
	var seen orchestrator.Snapshot
	confirm := func() {
		if watch == nil {
			return
		}
		if !seen.Verified {
			_, err := watch.Confirm(f.Context(), goose, "turn\n")
			f.must(err)
		}
		f.must(watch.Close())
		watch = nil
	}
	open := func() {
		confirm()
		watch = f.engine.Watch(f.Context(), wt)
		f.must(worktree.Opened(watch))
	}
	turn := func() {
		// The watch is opened while the agent thinks, which nobody waits for.
		_, err := f.engine.SnapshotChanges(f.Context(), wt, goose, "before\n")
		f.must(err)
		round++
		for i := range 3 {
			f.must(os.WriteFile(fmt.Sprintf("%s/area000/part0000/file%05d.c", wt.Dir, i), fmt.Appendf(nil, "round %d\n", round), 0o644))
		}
		seen, err = watch.Snapshot(f.Context(), goose, "turn\n")
		f.must(err)
	}
	f.contestAfter(open, map[string]func(){
		"git":       func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain"); seen.Verified = true },
		"turn":      turn,
		"confirmed": func() { turn(); confirm() },
	})
	confirm()
}

func (f *bench) snapshot(wt orchestrator.Worktree) {
	f.Helper()
	_, err := f.engine.Snapshot(f.Context(), wt, goose, "turn\n")
	f.must(err)
}
