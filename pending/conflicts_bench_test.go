package pending_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"boo/orchestrator"
)

// What boo pending conflicts does for two chats that each changed the same 50
// files, half of them in the same line, against one git merge-tree of the two.
func BenchmarkConflictsOfFiftyFiles(b *testing.B) {
	content := func(top, end string) string {
		return top + "\n" + strings.Repeat("a line that nobody changes\n", 40) + end + "\n"
	}
	files, ones, others := map[string]string{}, map[string]string{}, map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%02d/f%03d", i%20, i)] = content("top", "end")
	}
	for i := range 50 {
		name := fmt.Sprintf("d%02d/f%03d", i%20, i)
		ones[name], others[name] = content("one", "end"), content("top", "other")
		if i%2 == 0 {
			others[name] = content("other", "end")
		}
	}
	w := newWorld(b, files)
	w.run(w.repo, "config", "gc.auto", "0") // nothing in the background
	other := w.beside("chat2")
	w.turn("goose", w.edit(ones))
	other.turn("qwen", other.edit(others))
	req := orchestrator.ConflictRequest{Checkout: w.at, Sets: []orchestrator.ConflictSet{w.set(), other.set()}}
	git := w.typical(func() {
		cmd := exec.CommandContext(b.Context(), "git", "-C", w.repo, "merge-tree", "--write-tree", "--name-only", string(w.last), string(other.last))
		if exit, ok := errors.AsType[*exec.ExitError](cmd.Run()); !ok || exit.ExitCode() != 1 {
			b.Fatal("git finds no conflicts")
		}
	})
	against(b, git, nothing, func() {
		found, err := w.engine.Conflicts(b.Context(), req)
		if err != nil || len(found) != 25 {
			b.Fatal(err, len(found))
		}
	})
}
