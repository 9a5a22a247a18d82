package worktree_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

func TestMergeFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *worktree.Options) { o.MaxFile = 10_000 })
	f.commit()
	common := orchestrator.GitDir(f.repo + "/.git")
	blob := func(content string) orchestrator.ObjectID {
		id, err := f.engine.PutBlob(t.Context(), common, strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	file := func(content string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: blob(content)}
	}
	exec := func(content string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeExec, ID: blob(content)}
	}
	link := orchestrator.Entry{Mode: orchestrator.ModeSymlink, ID: blob("target")}
	none := orchestrator.Entry{}
	lines := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	top, end := strings.Replace(lines, "1", "one", 1), strings.Replace(lines, "9", "nine", 1)

	for _, c := range []struct {
		name               string
		base, ours, theirs orchestrator.Entry
		want               *orchestrator.Entry // nil for not clean
	}{
		{"both sides", file(lines), file(top), file(end), new(file(strings.Replace(top, "9", "nine", 1)))},
		{"conflict", file(lines), file(top), file(strings.Replace(lines, "1", "eins", 1)), nil},
		{"the same on both", file(lines), file(top), file(top), new(file(top))},
		{"only ours", file(lines), file(top), file(lines), new(file(top))},
		{"only theirs", file(lines), file(lines), file(end), new(file(end))},
		{"mode on one, content on the other", file(lines), exec(lines), file(end), new(exec(end))},
		{"both created alike", none, file(lines), file(lines), new(file(lines))},
		{"both created differently", none, file(lines), file(top), nil},
		{"both created, modes differ", none, file(lines), exec(lines), nil},
		{"binary", file("\x00a"), file("\x00b"), file("\x00c"), nil},
		{"symlink", link, link, file("x"), nil},
		{"too large", file(lines), file(strings.Repeat("a\n", 6000) + lines), file(end), nil},
		{"to empty", file(lines), file(""), file(lines), new(file(""))},
		{"CRLF", file("a\r\nb\r\nc\r\nd\r\n"), file("A\r\nb\r\nc\r\nd\r\n"), file("a\r\nb\r\nc\r\nD\r\n"), new(file("A\r\nb\r\nc\r\nD\r\n"))},
	} {
		got, clean, err := f.engine.MergeFiles(t.Context(), common, c.base, c.ours, c.theirs)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case clean != (c.want != nil):
			t.Errorf("%s: clean is %t", c.name, clean)
		case clean && got != *c.want:
			var content bytes.Buffer
			_ = f.engine.Blob(t.Context(), common, got.ID, &content)
			t.Errorf("%s: %+v, %q", c.name, got, content.String())
		}
	}
	// Of files that have little in common git does not look for the shortest
	// difference, and so git itself merges them.
	mixed := func(seed uint64) orchestrator.Entry {
		r := rand.New(rand.NewPCG(seed, 0))
		var lines strings.Builder
		for range 3000 {
			fmt.Fprintln(&lines, r.IntN(9))
		}
		return file(lines.String())
	}
	base, ours, theirs := mixed(1), mixed(2), mixed(3)
	if _, clean, err := f.engine.MergeFiles(t.Context(), common, base, ours, theirs); clean || err != nil {
		t.Errorf("little in common: clean %t, %v", clean, err)
	}
	marked, regions, ok, err := f.engine.MergeMarked(t.Context(), common, base, ours, theirs)
	var content bytes.Buffer
	if err := errors.Join(err, f.engine.Blob(t.Context(), common, marked.ID, &content)); !ok || len(regions) == 0 || err != nil {
		t.Errorf("little in common: %v %t %v", regions, ok, err)
	} else if n := strings.Count(content.String(), "<<<<<<< yours\n"); n != len(regions) {
		t.Errorf("little in common: %d regions, %d markers", len(regions), n)
	}
	gone := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(strings.Repeat("1", 40))}
	if _, _, err := f.engine.MergeFiles(t.Context(), common, file(lines), gone, file(end)); err == nil {
		t.Error("an object that is not there was merged")
	}
}

func TestTextsOfTooManyLinesAreNotMerged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit()
	common := orchestrator.GitDir(f.repo + "/.git")
	lines := bytes.Repeat([]byte("\n"), 4_000_001)
	file := func(content ...[]byte) orchestrator.Entry {
		id, err := f.engine.PutBlob(t.Context(), common, bytes.NewReader(bytes.Join(content, nil)))
		if err != nil {
			t.Fatal(err)
		}
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: id}
	}
	base, ours, theirs := file(lines), file([]byte("mine\n"), lines), file(lines, []byte("theirs\n"))
	if _, clean, err := f.engine.MergeFiles(t.Context(), common, base, ours, theirs); clean || err != nil {
		t.Errorf("merged: %t %v", clean, err)
	}
	if _, _, marked, err := f.engine.MergeMarked(t.Context(), common, base, ours, theirs); marked || err != nil {
		t.Errorf("marked: %t %v", marked, err)
	}
	if got, clean, err := f.engine.MergeFiles(t.Context(), common, base, base, theirs); got != theirs || !clean || err != nil {
		t.Errorf("edited on one side only: %v %t %v", got, clean, err)
	}
}
