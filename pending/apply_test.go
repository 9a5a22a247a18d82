package pending_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"boo/orchestrator"
)

var everyKind = map[string]string{
	"edited.txt":          "one\ntwo\nthree\n",
	"crlf.txt":            "a\r\nb\r\n",
	"binary":              "\x00\x01\x02",
	"emptied":             "x",
	"filled":              "",
	"to-exec.sh":          "#!/bin/sh\n",
	"from-exec.sh":        "+x:#!/bin/sh\n",
	"deleted":             "gone",
	"link":                "-> edited.txt",
	"link-to-file":        "-> edited.txt",
	"file-to-link":        "file",
	"file-to-dir":         "file",
	"link-to-dir":         "-> edited.txt",
	"dir-to-file/a":       "a",
	"dir-to-file/b/c":     "c",
	"dir-to-link/a":       "a",
	"emptied-dir/x/y":     "y",
	"kept-dir/gone":       "gone",
	"kept-dir/stays":      "stays",
	"odd\nname":           "odd",
	"quo\"te":             "odd",
	"bad-\xff\xfe-utf8":   "odd",
	" leading and ends. ": "odd",
	"-rf":                 "odd",
	"unchanged":           "same",
}

var everyEdit = map[string]string{
	"edited.txt":          "one\nTWO\nthree\n",
	"crlf.txt":            "a\r\nB\r\nc\r\n",
	"binary":              "\x00\xff\x02\n",
	"emptied":             "",
	"filled":              "now\n",
	"to-exec.sh":          "+x:#!/bin/sh\n",
	"from-exec.sh":        "#!/bin/sh\n",
	"deleted":             "-",
	"link":                "-> unchanged",
	"link-to-file":        "file",
	"file-to-link":        "-> unchanged",
	"file-to-dir":         "-",
	"file-to-dir/deep/f":  "f",
	"link-to-dir":         "-",
	"link-to-dir/f":       "f",
	"dir-to-file/a":       "-",
	"dir-to-file":         "file now",
	"dir-to-link":         "-> kept-dir",
	"emptied-dir":         "-",
	"kept-dir/gone":       "-",
	"odd\nname":           "odder",
	"quo\"te":             "odder",
	"bad-\xff\xfe-utf8":   "odder",
	" leading and ends. ": "-",
	"-rf":                 "odder",
	"new/a/b/c":           "new",
	"new/\xc3(":           "new",
	"new.link":            "-> new/a",
	"new-empty":           "",
	"new.sh":              "+x:echo\n",
}

func TestApplyAndUndoRoundTripEveryKindOfChange(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, newWorld(t, everyKind, "--object-format="+format))
		})
	}
}

func roundTrip(t *testing.T, w *world) {
	t.Helper()
	before := tree(t, w.repo)
	index := w.run(w.repo, "ls-files", "-s", "-z")
	w.turn("goose", func(dir string) {
		write(t, dir, map[string]string{"dir-to-file": "-", "dir-to-link": "-"})
		write(t, dir, everyEdit)
	})
	w.checkSet()
	shown := w.pending()
	want := tree(t, w.agent)

	result := w.mustApply()
	same(t, "after apply", tree(t, w.repo), want)
	if len(result.Files) != len(shown) {
		t.Errorf("%d files reported, %d shown", len(result.Files), len(shown))
	}
	if now := w.run(w.repo, "ls-files", "-s", "-z"); now != index {
		t.Error("the index was touched")
	}
	if len(w.pending()) != 0 {
		t.Errorf("still pending: %v", w.pending())
	}
	w.checkSet()

	w.mustUndo()
	same(t, "after undo", tree(t, w.repo), before)
	if status := strings.TrimSpace(w.run(w.repo, "status", "--porcelain")); status != "" {
		t.Errorf("git status after undo:\n%s", status)
	}
	w.checkSet()
	if again := w.pending(); len(again) != len(shown) {
		t.Errorf("%d pending again, were %d", len(again), len(shown))
	}
	w.mustApply()
	same(t, "after apply again", tree(t, w.repo), want)
}

// randomFiles draws a small tree in which files and directories often want the
// same name.
func randomFiles(rnd *rand.Rand) map[string]string {
	files := map[string]string{}
	names := []string{"a", "b", "a/x", "a/y", "b/x", "b/x/deep", "c/d/e", "c", "c/d"}
	contents := []string{"", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "one\n2\n3\n4\n5\n", "\x00", "+x:1\n", "-> a", "-> b"}
	for _, name := range names {
		if rnd.IntN(2) == 0 {
			continue
		}
		taken := slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(other string) bool {
			return strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/")
		})
		content := contents[rnd.IntN(len(contents))]
		if strings.HasPrefix(content, "-> ") && strings.Contains(name, "/") {
			content = "" // its target is meant from the top
		}
		if !taken {
			files[name] = content
		}
	}
	return files
}

// become makes dir hold exactly files.
func become(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			write(t, dir, map[string]string{e.Name(): "-"})
		}
	}
	write(t, dir, files)
}

func TestRandomTreesRoundTripInAnyPortion(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 7))
	w := newWorld(t, randomFiles(rnd))
	for round := range 12 {
		w.turn("goose", func(dir string) { become(t, dir, randomFiles(rnd)) })
		w.checkSet()
		before := tree(t, w.repo)
		want := tree(t, w.agent)
		// A portion may be impossible by itself (a file for a directory that
		// stays); then it must change nothing.
		var some []orchestrator.Path
		for _, row := range w.pending() {
			if rnd.IntN(2) == 0 {
				some = append(some, row.Path)
			}
		}
		if len(some) > 0 {
			if _, err := w.apply(some...); err == nil {
				w.mustUndo()
			} else if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("round %d, portion %q", round, some), tree(t, w.repo), before)
		}
		if len(w.pending()) == 0 {
			continue
		}
		w.mustApply()
		same(t, fmt.Sprintf("round %d, applied", round), tree(t, w.repo), want)
		if rnd.IntN(3) == 0 {
			w.mustUndo()
			same(t, fmt.Sprintf("round %d, undone", round), tree(t, w.repo), before)
			w.checkSet()
			w.mustApply()
		}
		w.checkSet()
		if t.Failed() {
			return
		}
	}
}

func TestPortionsMoveTheBaselinePathByPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n"})
	w.turn("goose", w.edit(map[string]string{"a": "2\n", "b": "2\n"}))
	kept := w.pending("b")
	w.mustApply("a")
	w.checkSet()
	if rows := w.pending(); len(rows) != 1 || rows[0].ID != kept[0].ID {
		t.Errorf("pending %v, want %v as it was", rows, kept)
	}
	w.mustApply()
	same(t, "both", tree(t, w.repo), tree(t, w.agent))
}

func TestAppliesToOneCheckoutTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
	w.turn("goose", w.edit(map[string]string{"a": "2\n", "b": "2\n", "c": "2\n"}))
	var group sync.WaitGroup
	errs := make([]error, 3)
	for i, p := range []orchestrator.Path{"a", "b", "c"} {
		req := orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending(p)}
		group.Go(func() { _, errs[i] = w.engine.Apply(t.Context(), req) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	same(t, "all", tree(t, w.repo), tree(t, w.agent))
	w.checkSet()
}

// Not parallel: the umask belongs to the process.
func TestPermissionsFollowTheUmask(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"f": "2\n", "x": "+x:x\n", "d/new": "n"}))
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	w.mustApply()
	for name, want := range map[string]os.FileMode{"f": 0o640, "x": 0o750, "d/new": 0o640, "d": 0o750 | os.ModeDir} {
		info, err := os.Stat(filepath.Join(w.repo, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
	syscall.Umask(0o077)
	w.mustUndo()
	if info, err := os.Stat(filepath.Join(w.repo, "f")); err != nil || info.Mode() != 0o600 {
		t.Errorf("f after undo: %v %v", info.Mode(), err)
	}
}

func TestAGitDirectoryElsewhere(t *testing.T) {
	t.Parallel()
	git := filepath.Join(t.TempDir(), "git")
	w := newWorld(t, everyKind, "--separate-git-dir="+git)
	roundTrip(t, w)
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	base, theirs := map[string]string{}, map[string]string{}
	for i := range 400 {
		name := fmt.Sprintf("d%02d/f%03d", i%40, i)
		base[name], theirs[name] = fmt.Sprintf("%d\n", i), fmt.Sprintf("%d again\n", i)
	}
	w := newWorld(t, base)
	before := tree(t, w.repo)
	w.turn("goose", w.edit(theirs))
	w.mustApply()
	same(t, "applied", tree(t, w.repo), tree(t, w.agent))
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), before)
}
