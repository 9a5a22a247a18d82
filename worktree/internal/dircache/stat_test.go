package dircache_test

import (
	"os"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"

	"golang.org/x/sys/unix"
)

func (r repo) lstat(name string) *unix.Stat_t {
	r.t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(r.path(name), &st); err != nil {
		r.t.Fatal(err)
	}
	return &st
}

func (r repo) match(x *dircache.Index, name string) dircache.Match {
	r.t.Helper()
	return x.Match(x.Lookup(path(name)), r.lstat(name))
}

// aged is a repository whose index is true as of an hour after its files.
func aged(t *testing.T) (repo, *dircache.Index) {
	r := newRepo(t)
	r.write("f", "one\n")
	r.write("empty", "")
	r.write("exec", "x")
	if err := os.Symlink("f", r.path("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(r.path("exec"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.age("f", "empty", "exec")
	r.git("add", "-A")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(r.indexFile(), later, later); err != nil {
		t.Fatal(err)
	}
	return r, r.read(objectid.SHA1)
}

func TestAFileAsItWasIsUnchanged(t *testing.T) {
	r, x := aged(t)
	for _, name := range []string{"f", "empty", "exec"} {
		if got := r.match(x, name); got != dircache.Unchanged {
			t.Errorf("%s is %d, want unchanged", name, got)
		}
	}
}

func TestEveryTraceOfAWriteMakesAFileUnsure(t *testing.T) {
	for name, touch := range map[string]func(r repo){
		"other content":               func(r repo) { r.write("f", "two!\n") },
		"same size":                   func(r repo) { r.write("f", "two\n") },
		"same size, time set back":    func(r repo) { st := r.lstat("f"); r.write("f", "two\n"); r.setMtime("f", st.Mtim) },
		"same content, written again": func(r repo) { r.write("f", "one\n") },
		"another file, renamed onto it": func(r repo) {
			st := r.lstat("f")
			r.write("g", "two\n")
			r.setMtime("g", st.Mtim)
			_ = os.Rename(r.path("g"), r.path("f"))
		},
		"a nanosecond": func(r repo) { st := r.lstat("f"); st.Mtim.Nsec++; r.setMtime("f", st.Mtim) },
	} {
		r, x := aged(t)
		touch(r)
		if got := r.match(x, "f"); got != dircache.Unsure {
			t.Errorf("%s: file is %d, want unsure", name, got)
		}
	}
}

func (r repo) setMtime(name string, mtime unix.Timespec) {
	r.t.Helper()
	if err := os.Chtimes(r.path(name), time.Time{}, time.Unix(mtime.Unix())); err != nil {
		r.t.Fatal(err)
	}
}

func TestAnotherTypeOrExecutableBitIsAChange(t *testing.T) {
	r, x := aged(t)
	if err := os.Chmod(r.path("f"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := r.match(x, "f"); got != dircache.Changed {
		t.Errorf("chmod +x: %d, want changed", got)
	}
	if err := os.Remove(r.path("f")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("exec", r.path("f")); err != nil {
		t.Fatal(err)
	}
	if got := r.match(x, "f"); got != dircache.Changed {
		t.Errorf("symlink instead of a file: %d, want changed", got)
	}
	if err := os.Remove(r.path("f")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(r.path("f"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := r.match(x, "f"); got != dircache.Changed {
		t.Errorf("fifo instead of a file: %d, want changed", got)
	}
}

func TestATimeThatCannotBeSetCounts(t *testing.T) {
	r, x := aged(t)
	mtime := r.lstat("f").Mtim
	r.setMtime("f", mtime) // moves ctime
	if got := r.match(x, "f"); got != dircache.Unsure {
		t.Errorf("ctime moved: %d, want unsure", got)
	}
}

func TestAFileFromTheBorderIsRacyAndStaysSoWhenTheBorderMoves(t *testing.T) {
	r := newRepo(t)
	r.write("f", "one\n")
	r.git("add", "f")
	now := r.read(objectid.SHA1).Lookup("f").Stat.Mtime()
	if err := os.Chtimes(r.indexFile(), now, now); err != nil {
		t.Fatal(err)
	}
	x := r.read(objectid.SHA1)
	if got := r.match(x, "f"); got != dircache.Unsure {
		t.Fatalf("racy file is %d, want unsure", got)
	}
	st := *r.lstat("f")
	r.write("f", "two\n")
	r.setMtime("f", st.Mtim)

	x.Advance(now.Add(time.Hour))
	if err := x.WriteFile(r.indexFile()); err != nil {
		t.Fatal(err)
	}
	if got := r.git("-c", "core.trustctime=false", "-c", "core.checkStat=minimal", "diff-files", "--name-only"); got != "f\n" {
		t.Errorf("git finds %q changed, want f", got)
	}
}

func TestAFileTouchedAtTheBorderIsRacyWhateverItsTime(t *testing.T) {
	r, _ := aged(t)
	touched := time.Unix(r.lstat("f").Ctim.Unix())
	for border, want := range map[time.Time]dircache.Match{touched: dircache.Unsure, touched.Add(1): dircache.Unchanged} {
		if err := os.Chtimes(r.indexFile(), border, border); err != nil {
			t.Fatal(err)
		}
		if got := r.match(r.read(objectid.SHA1), "f"); got != want {
			t.Errorf("as of %s, file of %s is %d, want %d", border, touched, got, want)
		}
	}
}

func TestADoubtedFileIsComparedByContent(t *testing.T) {
	r, x := aged(t)
	x.Doubt("f")
	if got := r.match(x, "f"); got != dircache.Unsure {
		t.Errorf("file is %d, want unsure", got)
	}
}

func TestAnEntryPutInKeepsItsStatWhenTheBorderMoves(t *testing.T) {
	r, x := aged(t)
	e := *x.Lookup("f")
	e.Stat = dircache.StatOf(r.lstat("f"))
	if err := x.Edit([]dircache.Entry{e}, nil); err != nil {
		t.Fatal(err)
	}
	x.Advance(time.Now())
	if got := r.match(x, "f"); got != dircache.Unchanged {
		t.Errorf("file is %d, want unchanged", got)
	}
}

func TestSubmodulesAreNeverSure(t *testing.T) {
	r, x := aged(t)
	if err := os.Mkdir(r.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	put := dircache.Entry{Path: "sub", Mode: orchestrator.ModeGitlink, ID: x.Entries()[0].ID, Stat: dircache.StatOf(r.lstat("sub"))}
	if err := x.Edit([]dircache.Entry{put}, nil); err != nil {
		t.Fatal(err)
	}
	if got := r.match(x, "sub"); got != dircache.Unsure {
		t.Errorf("submodule is %d, want unsure", got)
	}
}

func TestALengthOfFourGigabytesIsNotUnknown(t *testing.T) {
	if got := dircache.StatOf(&unix.Stat_t{Size: 4 << 30}).Size; got == 0 {
		t.Error("the recorded size is 0")
	}
}
