package worktree_test

import (
	"os"
	"testing"
	"time"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// changeSecond is the second of a file's change time.
func (f *fixture) changeSecond(path string) int64 {
	f.t.Helper()
	var st unix.Stat_t
	f.must(unix.Lstat(path, &st))
	return st.Ctim.Sec
}

// settle waits until files that were touched are trusted by their times: what is
// written in this very moment may be written again unseen.
func settle() {
	for tick, start := time.Tick(time.Millisecond), time.Now(); time.Since(start) < 40*time.Millisecond; {
		<-tick
	}
}

// setBack edits a file in place to the same size, and sets its time back. It
// reports whether all of it fell into the second of the file's last change.
func (f *fixture) setBack(path, content string) bool {
	f.t.Helper()
	second := f.changeSecond(path)
	info, err := os.Lstat(path)
	f.must(err)
	f.write(path, content)
	f.must(os.Chtimes(path, time.Time{}, info.ModTime()))
	return f.changeSecond(path) == second
}

// A file that is edited within the second in which boo looked at it last, to the
// same size and with its time set back, is found, also by a git that compares
// whole seconds.
func TestEditsWithTheirTimeSetBackAreFound(t *testing.T) {
	t.Parallel()
	for by, attributes := range map[string]string{"in process": "", "by git": "*.c ident\n"} {
		for since, look := range map[string]func(*fixture, orchestrator.Worktree){
			"creation": func(*fixture, orchestrator.Worktree) {},
			"a snapshot": func(f *fixture, wt orchestrator.Worktree) {
				f.must(os.Chtimes(string(wt.Dir)+"/a.txt", time.Time{}, time.Unix(1_600_000_000, 0)))
				f.snapshot(wt)
			},
		} {
			t.Run(by+" since "+since, func(t *testing.T) {
				f := newFixture(t)
				f.write(f.repo+"/a.txt", "old\n")
				f.write(f.repo+"/.gitattributes", attributes)
				f.commit()
				wt := f.create()
				look(f, wt)
				for !f.setBack(string(wt.Dir)+"/a.txt", "new\n") {
					wt = f.create()
					look(f, wt)
				}
				snap := f.snapshot(wt)
				if got := f.git(f.repo, "show", string(snap.Commit)+":a.txt"); got != "new" {
					t.Errorf("recorded %q, want the edit", got)
				}
			})
		}
	}
}
