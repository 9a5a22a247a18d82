package treeedit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/treeedit"
)

type edits = map[orchestrator.Path]orchestrator.Entry

// store keeps the trees that edits yield.
type store map[orchestrator.ObjectID][]byte

func (s store) read(_ context.Context, id orchestrator.ObjectID) ([]byte, error) {
	content, ok := s[id]
	if !ok {
		return nil, fmt.Errorf("no tree %s", id)
	}
	return content, nil
}

// edit checks what every result has to be, and keeps its trees.
func (s store) edit(t testing.TB, format objectid.Format, root orchestrator.ObjectID, list edits) orchestrator.ObjectID {
	t.Helper()
	got, err := treeedit.Edit(t.Context(), format, root, s.read, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range got.Trees {
		if want := format.Of(objectid.Tree, tree.Content); tree.ID != want {
			t.Errorf("a tree %s is called %s", want, tree.ID)
		}
		if _, ok := s[tree.ID]; ok && tree.ID == root {
			t.Errorf("tree %s is not new", tree.ID)
		}
		entries, err := treeedit.Parse(tree.Content, format)
		if err != nil {
			t.Errorf("new tree %s: %v", tree.ID, err)
		}
		for _, e := range entries {
			if _, known := s[e.ID]; e.IsTree() && !known {
				t.Errorf("tree %s comes before its child %s", tree.ID, e.Name)
			}
		}
		s[tree.ID] = tree.Content
	}
	return got.Root
}

var kinds = []orchestrator.FileMode{orchestrator.ModeRegular, orchestrator.ModeExec, orchestrator.ModeSymlink, orchestrator.ModeGitlink}

// Random edits, among them files that become directories and back, lead to the
// tree that git writes from an index with the same edits.
func TestTreesAreThoseThatGitWrites(t *testing.T) {
	for name, format := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "", "init", "-q", "--object-format="+name)
			rng := rand.New(rand.NewPCG(7, uint64(format)))
			trees, root := store{}, orchestrator.ObjectID("")
			for round := range 80 {
				list := randomEdits(rng, format)
				root = trees.edit(t, format, root, list)
				git(t, dir, script(list, format), "update-index", "--replace", "--index-info")
				if want := git(t, dir, "", "write-tree", "--missing-ok"); string(root) != want {
					t.Fatalf("round %d: tree is %s, git writes %s for\n%s", round, root, want, script(list, format))
				}
			}
			gone := edits{}
			for line := range strings.SplitSeq(git(t, dir, "", "ls-files"), "\n") {
				gone[orchestrator.Path(line)] = orchestrator.Entry{}
			}
			if root = trees.edit(t, format, root, gone); root != format.EmptyTree() {
				t.Errorf("with every file removed the tree is %s", root)
			}
		})
	}
}

// randomEdits draws from few names, so that files and directories collide, and
// leaves out what no tree can hold.
func randomEdits(rng *rand.Rand, format objectid.Format) edits {
	list := edits{}
	for range rng.IntN(12) {
		parts := make([]string, 1+rng.IntN(3))
		for i := range parts {
			parts[i] = []string{"a", "a.b", "a-b", "a0", "b", "caf\xe9"}[rng.IntN(6)]
		}
		path := orchestrator.Path(strings.Join(parts, "/"))
		if rng.IntN(3) == 0 {
			list[path] = orchestrator.Entry{}
			continue
		}
		free := true
		for other, entry := range list {
			free = free && (!entry.Exists() || !other.Under(path) && !path.Under(other))
		}
		if free {
			id := format.Of(objectid.Blob, fmt.Append(nil, rng.IntN(20)))
			list[path] = orchestrator.Entry{Mode: kinds[rng.IntN(len(kinds))], ID: id}
		}
	}
	return list
}

// script is the edits in the language of update-index, removals first.
func script(list edits, format objectid.Format) string {
	var remove, put strings.Builder
	for _, path := range slices.Sorted(maps.Keys(list)) {
		if e := list[path]; e.Exists() {
			fmt.Fprintf(&put, "%o %s\t%s\n", e.Mode, e.ID, string(path))
		} else {
			fmt.Fprintf(&remove, "0 %s\t%s\n", strings.Repeat("0", 2*format.Size()), string(path))
		}
	}
	return remove.String() + put.String()
}

func TestOnlyTreesAboveAnEditAreRead(t *testing.T) {
	trees := store{}
	blob := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: objectid.SHA1.EmptyBlob()}
	root := trees.edit(t, objectid.SHA1, "", edits{"a/b/c": blob, "a/x/y": blob, "d/e": blob})
	var read int
	counting := func(ctx context.Context, id orchestrator.ObjectID) ([]byte, error) {
		read++
		return trees.read(ctx, id)
	}
	got, err := treeedit.Edit(t.Context(), objectid.SHA1, root, counting, edits{"a/b/new": blob})
	if err != nil {
		t.Fatal(err)
	}
	if read != 3 || len(got.Trees) != 3 {
		t.Errorf("read %d trees and made %d, want 3 and 3", read, len(got.Trees))
	}
}

func TestAnEditThatChangesNothingYieldsNothing(t *testing.T) {
	trees := store{}
	blob := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: objectid.SHA1.EmptyBlob()}
	root := trees.edit(t, objectid.SHA1, "", edits{"a/b": blob})
	for name, list := range map[string]edits{
		"none": {}, "the same again": {"a/b": blob}, "removal of nothing": {"a/c": {}, "q": {}, "a/b/c": {}, "x/y/z": {}}, "removal of a directory": {"a": {}},
	} {
		got, err := treeedit.Edit(t.Context(), objectid.SHA1, root, trees.read, list)
		if err != nil || got.Root != root || len(got.Trees) != 0 {
			t.Errorf("%s: %v, %v, want the tree as it was", name, got, err)
		}
	}
}

func TestEditsThatNoTreeCanHoldAreRefusedByPath(t *testing.T) {
	blob := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: objectid.SHA1.EmptyBlob()}
	for path, list := range map[orchestrator.Path]edits{
		"":               {"": blob},
		"/a":             {"/a": blob},
		"a/":             {"a/": blob},
		"a//b":           {"a//b": blob},
		"a/../b":         {"a/../b": blob},
		"./a":            {"./a": blob},
		"a\x00b":         {"a\x00b": blob},
		"sub/.GIT/x":     {"sub/.GIT/x": blob},
		"mode":           {"mode": {Mode: 0o40000, ID: blob.ID}},
		"id":             {"id": {Mode: blob.Mode, ID: "zz"}},
		"null":           {"null": {Mode: blob.Mode, ID: orchestrator.ObjectID(strings.Repeat("0", 40))}},
		"file/and/below": {"file": blob, "file/and/below": blob},
		orchestrator.Path(strings.Repeat("a/", 2048) + "b"): {orchestrator.Path(strings.Repeat("a/", 2048) + "b"): blob},
	} {
		_, err := treeedit.Edit(t.Context(), objectid.SHA1, "", store{}.read, list)
		if e, ok := errors.AsType[*treeedit.PathError](err); !ok || e.Path != path {
			t.Errorf("%.20q: got %v, want a refusal of the path", path, err)
		}
	}
}

func TestATreeThatCannotBeReadIsNamed(t *testing.T) {
	root := objectid.SHA1.EmptyBlob()
	_, err := treeedit.Edit(t.Context(), objectid.SHA1, root, store{}.read, edits{"a": {}})
	if err == nil || !strings.Contains(err.Error(), string(root)) {
		t.Errorf("got %v, want an error that names %s", err, root)
	}
}

func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
