package worktree_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"boo/orchestrator"
)

// BenchmarkClaim takes spares over, those that are at the wanted base, beside
// "git worktree add".
func BenchmarkClaim(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			f := newBench(b, n)
			var spare orchestrator.Worktree
			f.contestAfter(func() {
				spare = f.worktree()
				f.must(f.engine.Spare(f.Context(), spare))
				f.settled()
			}, map[string]func(){
				"git": func() {
					f.made++
					f.git(f.repo, "worktree", "add", "-q", "--detach", filepath.Join(f.root, "plain", fmt.Sprint(f.made)))
				},
				"claim": func() { f.must(f.engine.Create(f.Context(), spare)) },
			})
		})
	}
}

// BenchmarkFirstStatusInSpare compares the first "git status" in a spare that was
// just claimed with a later one.
func BenchmarkFirstStatusInSpare(b *testing.B) {
	firstStatus(b, func(f *bench) orchestrator.Worktree {
		wt := f.worktree()
		f.must(f.engine.Spare(f.Context(), wt))
		f.must(f.engine.Create(f.Context(), wt))
		return wt
	})
}
