package worktree_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestRenamesAreThoseThatGitFinds(t *testing.T) {
	long := strings.Repeat("some line\nand another\n", 20)
	c := newChain(t, map[string]string{"same": long, "edited": long + "edited\n", "gone": "short\n", "stays": "x\n", "bin": "\x00\x01" + long})
	edited, other, bin := long+"EDITED\n", "something else\n", "\x00\x01"+long
	at := c.add(map[orchestrator.Path]*string{
		"same": nil, "d/same\nagain": &long, "edited": nil, "moved": &edited, "gone": nil, "new": &other, "bin": nil, "bin2": &bin,
	})
	got, err := c.engine.Renames(t.Context(), c.wt.CommonDir, c.wt.Base, at)
	c.must(err)
	want := []orchestrator.Rename{
		{From: "bin", To: "bin2", Similarity: 100},
		{From: "same", To: "d/same\nagain", Similarity: 100},
		{From: "edited", To: "moved", Similarity: 98, Added: 1, Deleted: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got, err := c.engine.Renames(t.Context(), c.wt.CommonDir, at, at); err != nil || len(got) > 0 {
		t.Errorf("between the same: %v, %v", got, err)
	}
}

func TestWordsAreGitsPorcelain(t *testing.T) {
	c := newChain(t, map[string]string{"a": "one two three\n", "b": "x\n", "bin": "\x00\x01"})
	a, b, bin := "one 2 three\n", "y\n", "\x00\x02"
	at := c.add(map[orchestrator.Path]*string{"a": &a, "b": &b, "bin": &bin})
	var patch strings.Builder
	c.must(c.engine.WriteWords(t.Context(), &patch, c.wt.CommonDir, c.wt.Base, at, []orchestrator.Path{"a"}))
	if !strings.HasSuffix(patch.String(), "\n one \n-two\n+2\n  three\n~\n") || strings.Contains(patch.String(), "b/b") {
		t.Errorf("got %q", patch.String())
	}
	want := c.git(c.repo, "diff", "--no-renames", "--full-index", "--word-diff=porcelain", string(c.wt.Base), string(at)) + "\n"
	patch.Reset()
	c.must(c.engine.WriteWords(t.Context(), &patch, c.wt.CommonDir, c.wt.Base, at, nil))
	if patch.String() != want {
		t.Errorf("got\n%swant\n%s", patch.String(), want)
	}
}

func TestSizesAreThoseOfTheObjectsThatAreThere(t *testing.T) {
	c := newChain(t, map[string]string{"a": "12345", "empty": ""})
	id := func(name string) orchestrator.ObjectID {
		return orchestrator.ObjectID(c.git(c.repo, "hash-object", filepath.Join(c.repo, name)))
	}
	missing := orchestrator.ObjectID(strings.Repeat("1", 40))
	got, err := c.engine.Sizes(t.Context(), c.wt.CommonDir, []orchestrator.ObjectID{id("a"), missing, id("empty")})
	c.must(err)
	if size, known := got[missing]; len(got) != 2 || got[id("a")] != 5 || known {
		t.Errorf("got %v, and %d for what is missing", got, size)
	}
	if got, err := c.engine.Sizes(t.Context(), c.wt.CommonDir, nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}
