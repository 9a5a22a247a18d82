package worktree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

// chain is a chat's chain of snapshots that a test writes commit by commit.
type chain struct {
	*fixture
	wt      orchestrator.Worktree
	tree    orchestrator.ObjectID
	commits []orchestrator.ObjectID
}

func newChain(t *testing.T, files map[string]string) *chain {
	f := newFixture(t)
	for name, content := range files {
		f.write(filepath.Join(f.repo, name), content)
	}
	f.commit()
	c := &chain{fixture: f, wt: f.worktree()}
	c.tree, c.commits = c.wt.Base, []orchestrator.ObjectID{c.wt.Base}
	return c
}

// add commits new contents; nil removes a file.
func (c *chain) add(files map[orchestrator.Path]*string) orchestrator.ObjectID {
	c.t.Helper()
	entries := map[orchestrator.Path]orchestrator.Entry{}
	for path, content := range files {
		entries[path] = orchestrator.Entry{}
		if content != nil {
			id, err := c.engine.PutBlob(c.t.Context(), c.wt.CommonDir, strings.NewReader(*content))
			c.must(err)
			entries[path] = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: id}
		}
	}
	var err error
	c.tree, err = c.engine.Overlay(c.t.Context(), c.wt.CommonDir, c.tree, entries)
	c.must(err)
	parent := c.commits[len(c.commits)-1]
	commit, err := c.engine.Commit(c.t.Context(), c.wt.CommonDir, c.tree, []orchestrator.ObjectID{parent}, "turn")
	c.must(err)
	c.commits = append(c.commits, commit)
	return commit
}

func (c *chain) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// blamed is boo's answer, a line "commit text" for each line.
func (c *chain) blamed(at orchestrator.ObjectID, path orchestrator.Path) string {
	c.t.Helper()
	runs, err := c.engine.Blame(c.t.Context(), c.wt, at, path)
	c.must(err)
	var b strings.Builder
	var last orchestrator.ObjectID
	for _, run := range runs {
		if run.Commit == last || len(run.Lines) == 0 {
			c.t.Errorf("two runs in a row of %s, or an empty one", run.Commit)
		}
		last = run.Commit
		for _, line := range run.Lines {
			fmt.Fprintf(&b, "%s %s\n", run.Commit, line)
		}
	}
	return b.String()
}

// gitBlamed is git's own, of the whole chain at once.
func (c *chain) gitBlamed(at orchestrator.ObjectID, path orchestrator.Path) string {
	c.t.Helper()
	out := c.git(c.repo, "--literal-pathspecs", "blame", "--line-porcelain", "--first-parent", string(c.wt.Base)+".."+string(at), "--", string(path))
	var b strings.Builder
	var commit string
	for line := range strings.SplitSeq(out, "\n") {
		word, _, _ := strings.Cut(line, " ")
		if len(word) == 40 && !strings.HasPrefix(line, "\t") {
			commit = word
		}
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			fmt.Fprintf(&b, "%s %s\n", commit, text)
		}
	}
	return b.String()
}

func TestBlameIsWhatGitBlamesOnTheChain(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 4))
			path, other := orchestrator.Path("d/story \"one\".txt"), orchestrator.Path("moved.txt")
			lines := randomLines(r, 30)
			c := newChain(t, map[string]string{string(path): strings.Join(lines, ""), "else.txt": "x\n"})
			for range 25 {
				lines = edit(r, lines)
				content := strings.Join(lines, "")
				switch r.IntN(12) {
				case 0: // nothing here, something elsewhere
					c.add(map[orchestrator.Path]*string{"else.txt": &content})
				case 1: // another name
					c.add(map[orchestrator.Path]*string{path: nil, other: &content})
					path, other = other, path
				case 2: // gone, and there again
					c.add(map[orchestrator.Path]*string{path: nil})
					c.add(map[orchestrator.Path]*string{path: &content})
				default:
					c.add(map[orchestrator.Path]*string{path: &content})
				}
				if r.IntN(3) == 0 {
					continue // asked for less often than it grows
				}
				at := c.commits[len(c.commits)-1]
				if got, want := c.blamed(at, path), c.gitBlamed(at, path); got != want {
					t.Fatalf("after %d commits: got\n%swant\n%s", len(c.commits), got, want)
				}
				if got, want := c.blamed(at, path), c.gitBlamed(at, path); got != want {
					t.Fatalf("asked again: got\n%swant\n%s", got, want)
				}
			}
		})
	}
}

func TestBlameOfAnOlderSnapshotIsRight(t *testing.T) {
	c := newChain(t, map[string]string{"a": "one\n"})
	for i := range 4 {
		text := strings.Repeat("line\n", i+2)
		c.add(map[orchestrator.Path]*string{"a": &text})
	}
	for _, i := range []int{4, 2, 3, 1, 4} {
		if got, want := c.blamed(c.commits[i], "a"), c.gitBlamed(c.commits[i], "a"); got != want {
			t.Errorf("snapshot %d: got\n%swant\n%s", i, got, want)
		}
	}
}

func TestBlameNeedsAFile(t *testing.T) {
	c := newChain(t, map[string]string{"a": "one\n", "d/b": "x\n"})
	text := "two\n"
	at := c.add(map[orchestrator.Path]*string{"a": &text, "empty": new(string)})
	for _, path := range []orchestrator.Path{"no such", "a/b"} {
		if _, err := c.engine.Blame(t.Context(), c.wt, at, path); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got := c.blamed(at, "empty"); got != "" {
		t.Errorf("an empty file has lines: %q", got)
	}
}

// A kept answer that is damaged is as good as none.
func TestADamagedAnswerIsNotBelieved(t *testing.T) {
	c := newChain(t, map[string]string{"a": "one\n"})
	text := "one\ntwo\n"
	at := c.add(map[orchestrator.Path]*string{"a": &text})
	want := c.blamed(at, "a")
	kept, _ := filepath.Glob(filepath.Join(c.root, "data", "git", "blame", string(c.wt.Chat), "*"))
	if len(kept) != 1 {
		t.Fatalf("kept: %v", kept)
	}
	raw, err := os.ReadFile(kept[0])
	c.must(err)
	for _, damaged := range [][]byte{raw[:len(raw)/2], {}, append([]byte("x"), raw[1:]...)} {
		c.must(os.WriteFile(kept[0], damaged, 0o600))
		if got := c.blamed(at, "a"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// randomLines are few words and many of them, so that lines are alike.
func randomLines(r *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = randomLine(r)
	}
	return lines
}

func randomLine(r *rand.Rand) string {
	words := []string{"}\n", "\n", "\tx := 1\n", "return\n", " x\r\n", "func\n", "filename a\n", "\tboundary\n"}
	return words[r.IntN(len(words))]
}

func edit(r *rand.Rand, lines []string) []string {
	for range 1 + r.IntN(3) {
		i := r.IntN(len(lines) + 1)
		j := i + r.IntN(min(6, len(lines)-i)+1)
		switch r.IntN(4) {
		case 0:
			lines = append(lines[:i:i], append(randomLines(r, 1+r.IntN(4)), lines[i:]...)...)
		case 1:
			lines = append(lines[:i:i], lines[j:]...)
		case 2: // a block once more
			lines = append(lines[:j:j], lines[i:]...)
		case 3: // a block elsewhere
			block := lines[i:j:j]
			rest := append(lines[:i:i], lines[j:]...)
			k := r.IntN(len(rest) + 1)
			lines = append(rest[:k:k], append(block, rest[k:]...)...)
		}
	}
	if len(lines) > 80 {
		lines = lines[:40]
	}
	return lines
}
