package worktree_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// variety gives a worktree a change of every kind.
func (f *fixture) variety() (orchestrator.Worktree, orchestrator.Snapshot) {
	f.t.Helper()
	f.write(f.repo+"/.gitattributes", "*.bat text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE\n")
	f.write(f.repo+"/edit.txt", "one\ntwo\nthree\n")
	f.write(f.repo+"/gone", "gone\n")
	f.write(f.repo+"/bin", "\x00\x01")
	f.write(f.repo+"/mode", "m\n")
	f.write(f.repo+"/type", "t\n")
	f.write(f.repo+"/file", "file\n")
	f.write(f.repo+"/dir/a", "a\n")
	f.write(f.repo+"/dir/b", "b\n")
	f.write(f.repo+"/x.bat", "x\r\n")
	f.write(f.repo+"/x.u16", "x\x00\n\x00")
	f.symlink("gone", f.repo+"/link")
	f.write(f.repo+"/empty", "")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/edit.txt", "one\n2\nthree\nfour")
	f.remove(dir + "/gone")
	f.write(dir+"/bin", "\x00\x02\xff")
	f.chmod(dir+"/mode", 0o755)
	f.symlink("edit.txt", dir+"/type")
	f.symlink("edit.txt", dir+"/link")
	f.remove(dir + "/file")
	f.write(dir+"/file/inside", "i\n")
	f.remove(dir + "/dir")
	f.write(dir+"/dir", "now a file\n")
	f.write(dir+"/x.bat", "x\r\ny\r\n")
	f.write(dir+"/x.u16", "y\x00\n\x00")
	f.write(dir+"/empty", "no more\n")
	f.write(dir+"/empty2", "")
	f.write(dir+"/not\nutf8 \xff \"q\"\t", "odd\n")
	return wt, f.snapshot(wt)
}

func TestDiffTellsEveryKindOfChange(t *testing.T) {
	f := newFixture(t)
	wt, snap := f.variety()
	changes, err := f.engine.Diff(t.Context(), wt.CommonDir, wt.Base, snap.Commit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %q +%d -%d %t", c.Op(), string(c.Path), c.Added, c.Deleted, c.Binary))
	}
	want := []string{
		`edit "bin" +0 -0 true`, `create "dir" +1 -0 false`, `delete "dir/a" +0 -1 false`, `delete "dir/b" +0 -1 false`,
		`edit "edit.txt" +2 -1 false`, `edit "empty" +1 -0 false`, `create "empty2" +0 -0 false`, `delete "file" +0 -1 false`,
		`create "file/inside" +1 -0 false`, `delete "gone" +0 -1 false`, `edit "link" +1 -1 false`, `mode "mode" +0 -0 false`,
		`create "not\nutf8 \xff \"q\"\t" +1 -0 false`, `type "type" +1 -1 false`, `edit "x.bat" +1 -0 false`, `edit "x.u16" +1 -1 false`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	from := func(a, b orchestrator.ObjectID) int {
		changes, err := f.engine.Diff(t.Context(), wt.CommonDir, a, b)
		if err != nil {
			t.Error(err)
		}
		return len(changes)
	}
	if from(snap.Tree, snap.Commit) != 0 || from("", wt.Base) != 13 || from(wt.Base, "") != 13 || from("", "") != 0 {
		t.Error("a tree, a commit and the empty tree are not compared alike")
	}
}

func TestPatchRoundTripsThroughGitApply(t *testing.T) {
	f := newFixture(t)
	wt, snap := f.variety()
	clone := f.root + "/clone"
	f.git(f.root, "clone", "-q", f.repo, clone)
	var patch bytes.Buffer
	if err := f.engine.WritePatch(t.Context(), &patch, wt.CommonDir, wt.Base, snap.Commit, nil); err != nil {
		t.Fatal(err)
	}
	apply := exec.CommandContext(t.Context(), "git", "apply", "--cached", "-")
	apply.Dir, apply.Env, apply.Stdin = clone, f.environ(), bytes.NewReader(patch.Bytes())
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	if got := f.git(clone, "write-tree"); got != string(snap.Tree) {
		t.Errorf("applied tree\n%s\nwant\n%s", f.listing(clone, orchestrator.ObjectID(got)), f.listing(f.repo, snap.Tree))
	}
}

func TestPatchIsLimitedToLiteralPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit()
	wt := f.create()
	var wanted []orchestrator.Path
	for i := range 3000 {
		path := fmt.Sprintf("directory with a rather long name so that not all of them fit/%s%d", strings.Repeat("x", 30), i)
		f.write(string(wt.Dir)+"/"+path, "x\n")
		wanted = append(wanted, orchestrator.Path(path))
	}
	f.write(string(wt.Dir)+"/*", "star\n")
	f.write(string(wt.Dir)+"/other", "other\n")
	snap := f.snapshot(wt)
	files := func(paths ...orchestrator.Path) int {
		var patch bytes.Buffer
		if err := f.engine.WritePatch(t.Context(), &patch, wt.CommonDir, wt.Base, snap.Commit, paths); err != nil {
			t.Fatal(err)
		}
		return strings.Count("\n"+patch.String(), "\ndiff --git ")
	}
	if got := files("*"); got != 1 {
		t.Errorf("a star selects %d files", got)
	}
	if got := files(append(wanted, wanted[0], "directory with a rather long name so that not all of them fit")...); got != 3000 {
		t.Errorf("3000 files and their directory select %d files", got)
	}
	if got := files(append(wanted, "*")...); got != 3001 {
		t.Errorf("3001 files select %d", got)
	}
}

func TestOverlayIsTheTreeWithTheEntries(t *testing.T) {
	f := newFixture(t)
	wt, snap := f.variety()
	changes, err := f.engine.Diff(t.Context(), wt.CommonDir, wt.Base, snap.Commit)
	if err != nil {
		t.Fatal(err)
	}
	forward, back := map[orchestrator.Path]orchestrator.Entry{}, map[orchestrator.Path]orchestrator.Entry{}
	for _, c := range changes {
		forward[c.Path], back[c.Path] = c.New, c.Old
	}
	baseTree := orchestrator.ObjectID(f.git(f.repo, "rev-parse", string(wt.Base)+"^{tree}"))
	over := func(tree orchestrator.ObjectID, entries map[orchestrator.Path]orchestrator.Entry) orchestrator.ObjectID {
		t.Helper()
		id, err := f.engine.Overlay(t.Context(), wt.CommonDir, tree, entries)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if got := over(wt.Base, forward); got != snap.Tree {
		t.Errorf("forward: %s", f.listing(f.repo, got))
	}
	if got := over(snap.Tree, back); got != baseTree {
		t.Errorf("back: %s", f.listing(f.repo, got))
	}
	if got := over(wt.Base, nil); got != baseTree {
		t.Errorf("nothing: %s", got)
	}
	all := map[orchestrator.Path]orchestrator.Entry{}
	whole, err := f.engine.Diff(t.Context(), wt.CommonDir, "", snap.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range whole {
		all[c.Path] = c.New
	}
	if got := over("", all); got != snap.Tree {
		t.Errorf("from nothing: %s", f.listing(f.repo, got))
	}
	for path := range all {
		all[path] = orchestrator.Entry{}
	}
	if got := over(snap.Tree, all); got != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("everything removed: %s", f.listing(f.repo, got))
	}
	file := whole[0].New
	for _, clash := range []map[orchestrator.Path]orchestrator.Entry{
		{"file": file}, {"edit.txt/below": file}, {"new": file, "new/below": file},
	} {
		if id, err := f.engine.Overlay(t.Context(), wt.CommonDir, snap.Tree, clash); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
			t.Errorf("%v: %s, %v", clash, id, err)
		}
	}
	if _, err := f.engine.Overlay(t.Context(), wt.CommonDir, orchestrator.ObjectID(strings.Repeat("1", 40)), forward); err == nil {
		t.Error("a tree that is not there was overlaid")
	}
}

func TestCurrentAndMaterializeRoundTrip(t *testing.T) {
	f := newFixture(t)
	wt, snap := f.variety()
	changes, err := f.engine.Diff(t.Context(), wt.CommonDir, wt.Base, snap.Commit)
	if err != nil {
		t.Fatal(err)
	}
	c := f.checkout(f.repo)
	old, now := map[orchestrator.Path]orchestrator.Entry{}, map[orchestrator.Path]orchestrator.Entry{}
	var paths []orchestrator.Path
	for _, change := range changes {
		paths = append(paths, change.Path)
		old[change.Path], now[change.Path] = change.Old, change.New
	}
	got, err := f.engine.Current(t.Context(), c, paths, old)
	if err != nil {
		t.Fatal(err)
	}
	for path, entry := range old {
		want := entry
		if path == "dir" {
			want = orchestrator.Entry{Mode: 0o040000}
		}
		if got[path].Entry != want {
			t.Errorf("%s is %+v, want %+v", path, got[path], want)
		}
	}
	dest := f.root + "/dest"
	f.mkdir(dest)
	if err := f.engine.Materialize(t.Context(), c, dest, now, byPath); err != nil {
		t.Fatal(err)
	}
	for path, entry := range now {
		want, wantErr := os.ReadFile(string(wt.Dir) + "/" + string(path))
		if !entry.Exists() {
			continue
		}
		if got, err := os.ReadFile(dest + "/" + string(path)); err == nil && wantErr == nil && !bytes.Equal(got, want) {
			t.Errorf("%s is written as %q, want %q", path, got, want)
		}
		a, _ := os.Lstat(string(wt.Dir) + "/" + string(path))
		b, err := os.Lstat(dest + "/" + string(path))
		if err != nil || a.Mode().Type() != b.Mode().Type() || a.Mode()&0o100 != b.Mode()&0o100 {
			t.Errorf("%s has mode %v, want %v; %v", path, b.Mode(), a.Mode(), err)
		}
	}
}

func TestCurrentTellsObstaclesApart(t *testing.T) {
	f := newFixture(t)
	f.write(f.root+"/outside/x", "the person's secret\n")
	f.write(f.repo+"/crlf", "a\r\n")
	f.write(f.repo+"/under/a", "a\n")
	withSubmodule(f)
	f.commit()
	crlf := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD:crlf"))}
	sub := orchestrator.Entry{Mode: orchestrator.ModeGitlink, ID: orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD:sub"))}
	f.git(f.repo, "config", "core.autocrlf", "true")
	f.symlink(f.root+"/outside", f.repo+"/behind")
	mkfifo(t, f.repo+"/fifo")
	c := f.checkout(f.repo)
	paths := []orchestrator.Path{"behind/x", "fifo", "under", "nothing", "crlf/below", "crlf", "sub"}
	look := func(hints map[orchestrator.Path]orchestrator.Entry) map[orchestrator.Path]orchestrator.Reading {
		t.Helper()
		got, err := f.engine.Current(t.Context(), c, paths, hints)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := look(map[orchestrator.Path]orchestrator.Entry{"crlf": crlf, "sub": sub})
	for path, want := range map[orchestrator.Path]orchestrator.Entry{
		"behind/x": {}, "nothing": {}, "crlf/below": {}, "fifo": {Mode: 0o010000}, "under": {Mode: 0o040000}, "crlf": crlf, "sub": sub,
	} {
		if got[path].Entry != want {
			t.Errorf("%s is %+v, want %+v", path, got[path], want)
		}
	}
	if got := look(nil); got["crlf"].Entry == crlf {
		t.Error("without a hint, CRLF is not converted")
	}
	f.remove(f.repo + "/sub")
	f.mkdir(f.repo + "/sub")
	if got := look(map[orchestrator.Path]orchestrator.Entry{"sub": sub}); got["sub"].Entry != sub {
		t.Errorf("a submodule that is not initialised is %+v", got["sub"])
	}
}

func TestMaterializeRefusesNamesThatGitRefuses(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	file := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD:a"))}
	for _, name := range []orchestrator.Path{".git/hooks/x", ".GIT/config", "git~1", "a/../b", "/abs"} {
		dest := t.TempDir()
		err := f.engine.Materialize(t.Context(), f.checkout(f.repo), dest, map[orchestrator.Path]orchestrator.Entry{name: file, "ok": file}, byPath)
		if orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// byPath calls a file by its path.
func byPath(p orchestrator.Path) string { return string(p) }
