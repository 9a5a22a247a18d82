package worktree_test

import (
	"context"
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
// turn takes them, next to one "git status": those that it waits for, which are on
// disk then, in a first turn, and in a later one, which finds the worktree
// watched; and the later ones together with the confirmation that comes after.
func BenchmarkTurn(b *testing.B) {
	f := newBench(b, 300)
	wt := f.create()
	f.snapshot(wt)
	watch := f.engine.Watch(f.Context(), wt)
	defer watch.Close()
	f.must(worktree.Opened(watch))
	unconfirmed := false
	confirm := func() {
		if unconfirmed {
			_, err := watch.Confirm(f.Context(), goose, "turn\n")
			f.must(err)
		}
		unconfirmed = false
	}
	round := 0
	turn := func(before func(context.Context, orchestrator.Signature, string) (orchestrator.Snapshot, error)) {
		_, err := before(f.Context(), goose, "before\n")
		f.must(err)
		round++
		f.aside(func() { // the agent's work, in between
			for i := range 3 {
				f.must(os.WriteFile(fmt.Sprintf("%s/area000/part0000/file%05d.c", wt.Dir, i), fmt.Appendf(nil, "round %d\n", round), 0o644))
			}
		})
		seen, err := watch.Snapshot(f.Context(), goose, "turn\n")
		f.must(err)
		f.must(watch.Keep(f.Context()))
		unconfirmed = !seen.Verified
	}
	later := func() {
		watch.Rest(f.Context()) // as between two turns
		turn(watch.SnapshotChanges)
	}
	f.contestAfter(confirm, map[string]func(){
		"git": func() { f.git(string(wt.Dir), "--no-optional-locks", "status", "--porcelain") },
		"first": func() {
			turn(func(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
				return f.engine.SnapshotChanges(ctx, wt, by, message)
			})
		},
		"later":     later,
		"confirmed": func() { later(); confirm() },
	})
}

func (f *bench) snapshot(wt orchestrator.Worktree) {
	f.Helper()
	_, err := f.engine.Snapshot(f.Context(), wt, goose, "turn\n")
	f.must(err)
}
