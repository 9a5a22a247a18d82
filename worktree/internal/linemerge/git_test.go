package linemerge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boo/worktree/internal/linemerge"
)

// roundsVar asks for more random texts than a usual run has.
const roundsVar = "BOO_MERGE_ROUNDS"

// gitMerge is git merge-file.
func gitMerge(t *testing.T, dir string, base, ours, theirs []byte) (text []byte, clean bool) {
	t.Helper()
	for name, content := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "merge-file", "-p", "-L", "yours", "-L", "before", "-L", "theirs", "ours", "base", "theirs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	text, err := cmd.Output()
	exit, conflicts := errors.AsType[*exec.ExitError](err)
	if err != nil && (!conflicts || exit.ExitCode() > 127) {
		t.Fatalf("git merge-file: %v", err)
	}
	return text, err == nil
}

// compare holds a merge to git's, and reports whether it was made in memory.
func compare(t *testing.T, dir string, base, ours, theirs []byte) (taken, clean bool) {
	t.Helper()
	m, ok := linemerge.Merge(base, ours, theirs)
	if !ok {
		return false, false
	}
	want, clean := gitMerge(t, dir, base, ours, theirs)
	if got := m.Text("yours", "theirs"); m.Clean() != clean || !bytes.Equal(got, want) {
		t.Fatalf("base %q\nours %q\ntheirs %q\nclean %t, git says %t\n%q\nwant\n%q", base, ours, theirs, m.Clean(), clean, got, want)
	}
	return true, clean
}

func TestAMergeIsThatOfGit(t *testing.T) {
	t.Parallel()
	rounds := 150
	if n, err := strconv.Atoi(os.Getenv(roundsVar)); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	outcomes := map[string]int{}
	for round := range rounds {
		w := &writer{rand.New(rand.NewPCG(uint64(round), 7))}
		base := w.text()
		ours, theirs := w.edited(base), w.edited(base)
		if w.IntN(8) == 0 {
			theirs = w.edited(ours)
		}
		taken, clean := compare(t, dir, join(base), join(ours), join(theirs))
		outcomes[fmt.Sprintf("taken %t, clean %t", taken, clean)]++
	}
	t.Log(outcomes)
	if outcomes["taken true, clean true"] < rounds/10 || outcomes["taken true, clean false"] < rounds/10 {
		t.Errorf("too few of a kind: %v", outcomes)
	}
}

// writer makes up texts: of few different lines or of many, with lines that stand
// in them very often, with one kind of line end or several, with and without an
// end at the end.
type writer struct{ *rand.Rand }

func (w *writer) text() []string {
	kinds := []int{2, 4, 12, 100, 5000}[w.IntN(5)]
	lines := make([]string, w.IntN([]int{4, 12, 60, 400}[w.IntN(4)]))
	end := []string{"\n", "\n", "\r\n"}[w.IntN(3)]
	blanks := w.IntN(3)
	for i := range lines {
		lines[i] = w.line(kinds, end)
		if w.IntN(4) < blanks {
			lines[i] = []string{"", "}", "\t}"}[w.IntN(3)] + end
		}
	}
	if n := len(lines); n > 0 && w.IntN(3) == 0 {
		lines[n-1] = strings.TrimRight(lines[n-1], "\r\n")
	}
	return lines
}

func (w *writer) line(kinds int, end string) string {
	if w.IntN(40) == 0 {
		end = "\r\n"
	}
	return []string{"a", "line ", "\t--"}[w.IntN(3)] + strconv.Itoa(w.IntN(kinds)) + end
}

// edited is a text after some edits: lines changed, put in, taken out, moved and
// doubled.
func (w *writer) edited(lines []string) []string {
	lines = append([]string(nil), lines...)
	kinds := []int{2, 4, 100}[w.IntN(3)]
	for range 1 + w.IntN([]int{2, 5, 40}[w.IntN(3)]) {
		at := w.IntN(len(lines) + 1)
		n := min(len(lines)-at, 1+w.IntN([]int{2, 10}[w.IntN(2)]))
		var fresh []string
		for range 1 + w.IntN(3) {
			fresh = append(fresh, w.line(kinds, "\n"))
		}
		run := append([]string(nil), lines[at:at+n]...)
		switch w.IntN(5) {
		case 0:
			lines = splice(lines, at, n, fresh)
		case 1:
			lines = splice(lines, at, 0, fresh)
		case 2:
			lines = splice(lines, at, n, nil)
		case 3:
			lines = splice(lines, at, 0, run)
		case 4:
			lines = splice(lines, at, n, nil)
			lines = splice(lines, w.IntN(len(lines)+1), 0, run)
		}
	}
	return lines
}

func splice(lines []string, at, n int, fresh []string) []string {
	return append(append(append([]string(nil), lines[:at]...), fresh...), lines[at+n:]...)
}

func join(lines []string) []byte { return []byte(strings.Join(lines, "")) }

func TestATextThatHasLittleInCommonIsLeftToGit(t *testing.T) {
	t.Parallel()
	w := &writer{rand.New(rand.NewPCG(1, 1))}
	var base, ours, theirs []string
	for range 4000 {
		base, ours, theirs = append(base, w.line(9, "\n")), append(ours, w.line(9, "\n")), append(theirs, w.line(9, "\n"))
	}
	if _, ok := linemerge.Merge(join(base), join(ours), join(theirs)); ok {
		t.Error("it was merged")
	}
	if _, ok := linemerge.Merge([]byte("a\n"), []byte("a\x00\n"), []byte("b\n")); ok {
		t.Error("a binary was merged")
	}
	long := bytes.Repeat([]byte("\n"), 1<<19)
	if _, ok := linemerge.Merge(long, []byte("a\n"), []byte("b\n")); ok {
		t.Error("half a million lines were merged in memory")
	}
}

// A large file with a few edits costs about as much as reading its lines.
func BenchmarkMerge(b *testing.B) {
	var base []string
	for i := range 5000 {
		base = append(base, fmt.Sprintf("line %d of it\n", i))
	}
	ours, theirs := splice(base, 100, 3, []string{"mine\n"}), splice(base, 4000, 2, []string{"theirs\n"})
	x, y, z := join(base), join(ours), join(theirs)
	for b.Loop() {
		if m, ok := linemerge.Merge(x, y, z); !ok || !m.Clean() {
			b.Fatal("not clean")
		}
	}
}
