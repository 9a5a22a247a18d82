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

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func (w *world) hunks() []orchestrator.Hunk {
	w.t.Helper()
	list, err := w.engine.Hunks(w.t.Context(), w.worktree(), w.pending())
	if err != nil || len(list) != 1 {
		w.t.Fatalf("hunks %+v, %v", list, err)
	}
	return list[0].Hunks
}

func TestAnAgentsShareIsTakenAndMixedHunksAreLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": tenLines, "g": "g\n"})
	w.turn("goose", w.edit(map[string]string{"f": "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"}))
	w.turn("qwen", w.edit(map[string]string{"f": "one\n2\n3\n4\nfive\n6\n7\n8\n9\nten, by both\n", "g": "G\n"}))
	w.options = orchestrator.ApplyOptions{Agent: "goose"}
	r := w.mustApply()
	if len(r.Files) != 1 || !r.Files[0].Part {
		t.Errorf("result %+v", r.Files)
	}
	// qwen wrote the line that is there now, and goose is gone from it; the line
	// that was there at first is goose's doing.
	if len(r.Left) != 1 || r.Left[0].Hunks != 1 || !slices.Equal(r.Left[0].Agents, []orchestrator.AgentName{"goose", "qwen"}) {
		t.Errorf("left %+v", r.Left)
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != strings.Replace(tenLines, "1\n", "one\n", 1) {
		t.Errorf("f is %q", got)
	}
	w.checkSet()
	w.options.Agent = "qwen"
	if r = w.mustApply(); len(r.Files) != 2 {
		t.Errorf("qwen's %+v", r.Files)
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != "one\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n" {
		t.Errorf("f is %q", got)
	}
	w.checkSet()
	w.options = orchestrator.ApplyOptions{}
	w.mustApply()
	same(t, "in the end", tree(t, w.repo), tree(t, w.agent))
	for range 3 {
		w.mustUndo()
		w.checkSet()
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != tenLines {
		t.Errorf("after three undos f is %q", got)
	}
	if rows := w.pending("f"); len(rows) != 1 || len(rows[0].Agents()) != 2 {
		t.Errorf("pending again %+v", rows)
	}
}

func TestChosenHunksAreAppliedAndTheOthersStayPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": tenLines})
	before := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "0\n1\n2\n4\n5\nsix\n7\n8\n9\n10\n11"}))
	hunks := w.hunks()
	if len(hunks) != 4 || hunks[1].OldLine != 3 || !slices.Equal(hunks[1].Removed, []string{"3\n"}) || hunks[3].Added[0] != "11" {
		t.Fatalf("hunks %+v", hunks)
	}
	w.options.Hunks = map[orchestrator.ChangeID][]int{w.pending()[0].ID: {1, 3}}
	w.mustApply()
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != "1\n2\n4\n5\n6\n7\n8\n9\n10\n11" {
		t.Errorf("f is %q", got)
	}
	w.checkSet()
	if left := w.hunks(); len(left) != 2 {
		t.Errorf("left %+v", left)
	}
	w.mustUndo()
	same(t, "after undo", tree(t, w.repo), before)
	w.checkSet()
}

func TestWhatIsNoTextIsOneHunk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"binary": {"\x00a", "\x00b"}, "new": {"-", "n\n"}, "deleted": {"x\n", "-"}, "mode": {"x\n", "+x:x\n"}, "symlink": {"-> a", "-> b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"f": c[0]})
			w.turn("goose", w.edit(map[string]string{"f": c[1]}))
			hunks := w.hunks()
			if len(hunks) != 1 || !hunks[0].Whole {
				t.Fatalf("hunks %+v", hunks)
			}
			w.options.Hunks = map[orchestrator.ChangeID][]int{w.pending()[0].ID: {0}}
			w.mustApply()
			same(t, "applied", tree(t, w.repo), tree(t, w.agent))
		})
	}
}

// Whatever edits are made, in whatever order their hunks are taken, every step
// leaves the pending set true, and in the end all has been taken.
func TestHunksInAnyOrderComeToTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			lines := strings.SplitAfter(strings.Repeat("a\nb\nc\n", 12), "\n")
			lines = lines[:len(lines)-1]
			w := newWorld(t, map[string]string{"f": strings.Join(lines, "")})
			for _, agent := range []orchestrator.AgentName{"goose", "qwen", "goose"} {
				for range 3 {
					at := rnd.IntN(len(lines))
					lines = slices.Replace(lines, at, min(len(lines), at+rnd.IntN(3)), []string{"b\n", "x\n", "y\n"}[:rnd.IntN(4)]...)
				}
				w.turn(agent, w.edit(map[string]string{"f": strings.Join(lines, "")}))
			}
			for n := 0; len(w.pending()) > 0; n++ {
				if n > 40 {
					t.Fatal("it does not come to an end")
				}
				row := w.pending()[0]
				w.options.Hunks = map[orchestrator.ChangeID][]int{row.ID: {rnd.IntN(len(w.hunks()))}}
				w.mustApply()
				w.checkSet()
			}
			same(t, "in the end", tree(t, w.repo), tree(t, w.agent))
		})
	}
}
