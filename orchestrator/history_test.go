package orchestrator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestALongHistoryIsToldInPartAndWhollyInAFile(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a long line of a long prompt\n", 280) // just below what is cut
	w.turn("one", "remember HERON")
	for i := range 8 {
		w.turn("one", fmt.Sprintf("say answer %d\n%s", i, long))
	}
	if h := w.turn("two", "recall"); h.summary().Rung != orchestrator.RungHistory || strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q: the oldest turns were told", h.summary().Rung, h.text())
	}
	files, err := filepath.Glob(filepath.Join(w.data, "histories", "*", "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "two.txt" {
		t.Fatalf("files: %v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	w.check(err)
	text, err := os.ReadFile(files[0])
	w.check(err)
	if info.Mode().Perm() != 0o600 || !strings.Contains(string(text), "remember HERON") || strings.Count(string(text), "> Turn ") != 9 {
		t.Errorf("mode %s, %d bytes, %d turns", info.Mode(), len(text), strings.Count(string(text), "> Turn "))
	}
	w.turn("two", "say next")
	again, err := os.Stat(files[0])
	if err != nil || !again.ModTime().Equal(info.ModTime()) {
		t.Errorf("what was told once was written again: %v", err)
	}
}
