package pending_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

// blamedFile is the file that is blamed: two thousand lines, of which every turn
// changes a few.
const blamedFile = "area000/part0000/blamed.c"

func (w *benchWorld) blameTurns(first, turns int) {
	for turn := first; turn < first+turns; turn++ {
		var b strings.Builder
		for i := range 2000 {
			word := "base"
			if i%97 < turn%40 {
				word = fmt.Sprintf("turn %d", turn-i%97)
			}
			fmt.Fprintf(&b, "line %d of %s\n", i, word)
		}
		w.world.turn("goose", func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, blamedFile), []byte(b.String()), 0o644); err != nil {
				w.t.Fatal(err)
			}
		})
	}
}

func (w *benchWorld) gitBlame() {
	w.run(w.repo, "blame", "--porcelain", "--first-parent", string(w.worktree().Base)+".."+string(w.last), "--", blamedFile)
}

func (w *benchWorld) mustBlame(at orchestrator.ObjectID) {
	if runs, err := w.git.Blame(w.t.Context(), w.worktree(), at, blamedFile); err != nil || len(runs) < 2 {
		w.t.Fatal(err, len(runs))
	}
}

// Asked a second time, against git blame of the chat's chain of 22 turns.
func BenchmarkBlameWarm(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBenchWorld(b, n)
			w.blameTurns(1, 20)
			against(b, w.typical(w.gitBlame), nothing, func() { w.mustBlame(w.last) })
		})
	}
}

// The whole of what boo pending blame asks for, the newest snapshot and the
// turns included, asked a second time.
func BenchmarkBlameCommandWarm(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBenchWorld(b, n)
			w.blameTurns(1, 20)
			e := w.review()
			against(b, w.typical(w.gitBlame), nothing, func() {
				if _, err := e.Blame(b.Context(), orchestrator.ChatRef{Dir: w.repo}, blamedFile); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// Asked again after one more turn.
func BenchmarkBlameOneTurnOn(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBenchWorld(b, n)
			w.blameTurns(1, 19)
			before := w.last
			w.blameTurns(20, 1)
			against(b, w.typical(w.gitBlame), func() { w.mustBlame(before) }, func() { w.mustBlame(w.last) })
		})
	}
}
