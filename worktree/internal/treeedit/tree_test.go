package treeedit_test

import (
	"errors"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/treeedit"
)

func raw(entries ...string) []byte {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e + "\x00" + strings.Repeat("\x01", 20))
	}
	return []byte(b.String())
}

func TestAncientModesAreReadAsTodays(t *testing.T) {
	got, err := treeedit.Parse(raw("100664 a", "100775 b", "040000 c"), objectid.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []orchestrator.FileMode{orchestrator.ModeRegular, orchestrator.ModeExec, treeedit.ModeTree} {
		if got[i].Mode != want {
			t.Errorf("%s has mode %o, want %o", got[i].Name, got[i].Mode, want)
		}
	}
}

func TestTreesThatGitWouldNotWriteAreRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"cut off":           raw("100644 a")[:20],
		"no mode":           []byte("a"),
		"mode of nothing":   raw("010644 a"),
		"mode in letters":   raw("rwx a"),
		"long mode":         raw("0000000100644 a"),
		"no name":           raw("100644 "),
		"dot":               raw("40000 ."),
		"dot dot":           raw("40000 .."),
		"slash":             raw("100644 a/b"),
		"order":             raw("100644 b", "100644 a"),
		"directories order": raw("40000 a", "100644 a.b"),
		"twice":             raw("100644 a", "100644 a"),
		"twice, apart":      raw("100644 a", "100644 a.b", "40000 a"),
	} {
		_, err := treeedit.Parse(content, objectid.SHA1)
		if _, ok := errors.AsType[*treeedit.CorruptError](err); !ok {
			t.Errorf("%s: got %v, want a CorruptError", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(raw("100644 a", "40000 b"))
	f.Add(raw("100644 a", "100644 a.b", "40000 a"))
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, err := treeedit.Parse(content, objectid.SHA1)
		if err != nil {
			return
		}
		list := edits{}
		for _, e := range entries {
			if !e.IsTree() && e.Name != "git" && !strings.EqualFold(e.Name, ".git") && strings.Trim(string(e.ID), "0") != "" {
				list[orchestrator.Path(e.Name)] = orchestrator.Entry{Mode: e.Mode, ID: e.ID}
			}
		}
		trees := store{}
		root := objectid.SHA1.Of(objectid.Tree, content)
		trees[root] = content
		trees.edit(t, objectid.SHA1, root, list)
	})
}
