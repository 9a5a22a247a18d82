package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/watch"

	"golang.org/x/sys/unix"
)

// tree is a directory that is changed, and its watcher.
type tree struct {
	t   testing.TB
	dir string
	w   *watch.Watcher
}

func newTree(t testing.TB, files ...string) tree {
	tr := tree{t: t, dir: filepath.Join(t.TempDir(), "tree")}
	tr.mkdir("")
	for _, name := range files {
		tr.write(name, "before")
	}
	return tr
}

func (tr tree) start(opts watch.Options) tree {
	tr.t.Helper()
	opts.Private = tr.t.TempDir()
	w, err := watch.Start(tr.dir, opts)
	tr.must(err)
	tr.t.Cleanup(func() {
		tr.must(w.Close())
		left, err := os.ReadDir(opts.Private)
		if err != nil || len(left) > 0 {
			tr.t.Errorf("the private directory holds %v, %v", left, err)
		}
	})
	tr.w = w
	return tr
}

func watched(t testing.TB, files ...string) tree { return newTree(t, files...).start(watch.Options{}) }

func (tr tree) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) path(name string) string { return filepath.Join(tr.dir, name) }

func (tr tree) mkdir(name string) { tr.t.Helper(); tr.must(os.MkdirAll(tr.path(name), 0o755)) }

func (tr tree) write(name, content string) {
	tr.t.Helper()
	tr.mkdir(filepath.Dir(name))
	tr.must(os.WriteFile(tr.path(name), []byte(content), 0o644))
}

func (tr tree) rename(from, to string) { tr.t.Helper(); tr.must(os.Rename(tr.path(from), tr.path(to))) }

func (tr tree) drain() watch.Changes {
	tr.t.Helper()
	c, err := tr.w.Drain(tr.t.Context())
	tr.must(err)
	return c
}

// wantTouched checks what was touched, and that nothing is reported twice.
func (tr tree) wantTouched(files, trees string) watch.Changes {
	tr.t.Helper()
	c := tr.drain()
	if got := join(c.Files); got != files {
		tr.t.Errorf("files %q, want %q", got, files)
	}
	if got := join(c.Trees); got != trees {
		tr.t.Errorf("trees %q, want %q", got, trees)
	}
	if again := tr.drain(); len(again.Files)+len(again.Trees) > 0 || again.IgnoreRules {
		tr.t.Errorf("the next drain has %v", again)
	}
	return c
}

func join(paths []orchestrator.Path) string {
	var list []string
	for _, p := range paths {
		list = append(list, string(p))
	}
	return strings.Join(list, " ")
}

func TestNothingTouchedIsNothingReported(t *testing.T) {
	tr := watched(t, "a", "dir/b")
	tr.wantTouched("", "")
	_, err := os.ReadFile(tr.path("a"))
	tr.must(err)
	tr.wantTouched("", "")
}

func TestTheFirstTouchSinceADrainIsToldAtOnce(t *testing.T) {
	told := make(chan struct{}, 10)
	tr := newTree(t, "a").start(watch.Options{First: func() { told <- struct{}{} }})
	for range 3 {
		tr.write("a", "after")
		<-told
		tr.write("a", "again")
		tr.drain()
	}
	if len(told) > 0 {
		t.Errorf("it was told %d times more", len(told))
	}
}

func TestEveryWayToTouchAFileIsReported(t *testing.T) {
	for name, touch := range map[string]func(tr tree){
		"write": func(tr tree) { tr.write("dir/f", "after") },
		"append": func(tr tree) {
			f, _ := os.OpenFile(tr.path("dir/f"), os.O_APPEND|os.O_WRONLY, 0)
			_, _ = f.WriteString("x")
			_ = f.Close()
		},
		"truncate": func(tr tree) { tr.must(os.Truncate(tr.path("dir/f"), 0)) },
		"remove":   func(tr tree) { tr.must(os.Remove(tr.path("dir/f"))) },
		"chmod":    func(tr tree) { tr.must(os.Chmod(tr.path("dir/f"), 0o755)) },
		"save by renaming": func(tr tree) {
			tr.must(os.WriteFile(tr.dir+".new", nil, 0o644))
			tr.must(os.Rename(tr.dir+".new", tr.path("dir/f")))
		},
		"symlink instead": func(tr tree) { tr.must(os.Remove(tr.path("dir/f"))); tr.must(os.Symlink("x", tr.path("dir/f"))) },
		"a mapping, closed": func(tr tree) {
			f, err := os.OpenFile(tr.path("dir/f"), os.O_RDWR, 0)
			tr.must(err)
			m, err := unix.Mmap(int(f.Fd()), 0, 6, unix.PROT_WRITE, unix.MAP_SHARED)
			tr.must(err)
			m[0] = 'X'
			tr.must(errors.Join(unix.Munmap(m), f.Close()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := watched(t, "dir/f", "dir/other")
			touch(tr)
			tr.wantTouched("dir/f", "")
		})
	}
}

func TestARenamedFileIsTouchedAtBothNames(t *testing.T) {
	tr := watched(t, "dir/old", "other/x")
	tr.rename("dir/old", "other/new")
	tr.wantTouched("dir/old other/new", "")
}

func TestFilesInNewDirectoriesAreReported(t *testing.T) {
	tr := watched(t, "a")
	tr.write("n/e/w/file", "1")
	tr.write("n/other", "1")
	tr.wantTouched("n/e/w/file n/other", "n n/e n/e/w")
	tr.write("n/e/w/file", "2")
	tr.wantTouched("n/e/w/file", "")
}

func TestADirectoryThatMovesIsFollowed(t *testing.T) {
	tr := watched(t, "dir/sub/f", "dir/g")
	tr.rename("dir", "moved")
	tr.wantTouched("moved/g moved/sub/f", "dir moved moved/sub")
	tr.write("moved/sub/f", "after")
	tr.wantTouched("moved/sub/f", "")
	tr.rename("moved/sub", "up")
	tr.write("up/new", "1")
	tr.wantTouched("up/f up/new", "moved/sub up")
}

func TestADirectoryThatLeavesIsLetGo(t *testing.T) {
	tr := watched(t, "dir/sub/f", "other/f")
	tr.must(os.Rename(tr.path("dir"), tr.dir+"-out"))
	tr.wantTouched("", "dir")
	tr.must(os.WriteFile(tr.dir+"-out/sub/f", []byte("x"), 0o644))
	tr.must(os.RemoveAll(tr.path("other")))
	tr.wantTouched("other/f", "other")
	tr.must(os.Rename(tr.dir+"-out", tr.path("dir")))
	tr.wantTouched("dir/sub/f", "dir dir/sub")
}

func TestSymlinkedDirectoriesAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	tr := newTree(t, "a")
	tr.must(os.Symlink(outside, tr.path("before")))
	tr = tr.start(watch.Options{})
	tr.must(os.Symlink(outside, tr.path("link")))
	tr.must(os.WriteFile(filepath.Join(outside, "f"), nil, 0o644))
	tr.wantTouched("link", "")
}

func TestTheGitDirectoryAtTheTopIsLeftOut(t *testing.T) {
	tr := watched(t, ".git/HEAD", "a")
	tr.write(".git/HEAD", "x")
	tr.write(".git/new/x", "x")
	if c := tr.wantTouched("", ""); c.NestedGit {
		t.Error("it is taken for a nested repository")
	}
}

func TestNestedRepositoriesAreTold(t *testing.T) {
	for name, make := range map[string]func(tr tree) tree{
		"there at the start": func(tr tree) tree { tr.write("sub/.git/HEAD", ""); return tr.start(watch.Options{}) },
		"a file of a submodule": func(tr tree) tree {
			tr.write("sub/.git", "gitdir: x")
			return tr.start(watch.Options{})
		},
		"made later": func(tr tree) tree { tr = tr.start(watch.Options{}); tr.write("sub/.git/HEAD", ""); return tr },
		"made in a directory that is there": func(tr tree) tree {
			tr.mkdir("sub")
			tr = tr.start(watch.Options{})
			tr.write("sub/.git/HEAD", "")
			return tr
		},
	} {
		tr := make(newTree(t, "a"))
		if c := tr.drain(); !c.NestedGit {
			t.Errorf("%s: not told", name)
		}
		tr.must(os.Chmod(tr.path("sub/.git"), 0o700))
		if c := tr.drain(); !c.NestedGit || len(c.Files) > 0 {
			t.Errorf("%s: then %v", name, c)
		}
	}
}

func TestIgnoreRulesAreTold(t *testing.T) {
	for name, touch := range map[string]func(tr tree){
		"written":            func(tr tree) { tr.write(".gitignore", "x") },
		"removed":            func(tr tree) { tr.must(os.Remove(tr.path("dir/.gitattributes"))) },
		"in a new directory": func(tr tree) { tr.write("new/dir/.gitignore", "x") },
		"moved in": func(tr tree) {
			tr.must(os.Mkdir(tr.dir+"-x", 0o755))
			tr.must(os.WriteFile(tr.dir+"-x/.gitattributes", nil, 0o644))
			tr.must(os.Rename(tr.dir+"-x", tr.path("x")))
		},
	} {
		tr := watched(t, ".gitignore", "dir/.gitattributes")
		if tr.drain().IgnoreRules {
			t.Errorf("%s: told before", name)
		}
		touch(tr)
		if !tr.drain().IgnoreRules {
			t.Errorf("%s: not told", name)
		}
		if tr.drain().IgnoreRules {
			t.Errorf("%s: told again", name)
		}
	}
}

func TestDirectoriesToSkipAreNotWatched(t *testing.T) {
	skip := func(dir orchestrator.Path) bool { return strings.HasSuffix(string(dir), "node_modules") }
	tr := newTree(t, "node_modules/a/b", "src/f").start(watch.Options{Skip: skip, MaxDirs: 10})
	tr.write("node_modules/a/b", "x")
	for i := range 20 {
		tr.write("src/node_modules/"+string(rune('a'+i))+"/x", "x")
	}
	tr.wantTouched("", "")
}

// Whoever asks whether it is quiet takes nothing from who drains.
func TestATreeIsQuietUntilItIsTouchedWhereverItStands(t *testing.T) {
	tr := newTree(t, "a", "skip/b").start(watch.Options{Skip: func(dir orchestrator.Path) bool { return dir == "skip" || dir == "new" }})
	quiet := func(at string, want bool) {
		t.Helper()
		if is, err := tr.w.Quiet(t.Context(), at); err != nil || is != want {
			t.Errorf("quiet at %s: %v, %v", at, is, err)
		}
	}
	tr.write("skip/b", "after") // where nobody watches
	quiet(tr.dir, true)
	tr.mkdir("new") // that it came is known
	quiet(tr.dir, false)
	tr.wantTouched("", "")
	quiet(tr.dir, true)
	moved := tr.dir + "-moved"
	tr.must(os.Rename(tr.dir, moved))
	quiet(tr.dir, false)
	quiet(moved, true)
	tr.must(os.WriteFile(moved+"/a", []byte("after"), 0o644))
	quiet(moved, false)
	tr.must(os.Rename(moved, tr.dir))
	quiet(tr.dir, false)
	tr.wantTouched("a", "")
	tr.must(os.RemoveAll(tr.dir))
	tr.mkdir("")
	quiet(tr.dir, false)
}

func TestTooManyDirectoriesAreAnErrorAtTheStartAndALossLater(t *testing.T) {
	tr := newTree(t, "a/b/c/f")
	_, err := watch.Start(tr.dir, watch.Options{Private: t.TempDir(), MaxDirs: 3})
	if !errors.Is(err, watch.ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
	tr = tr.start(watch.Options{MaxDirs: 4})
	tr.write("a/f", "x")
	tr.wantTouched("a/f", "")
	tr.write("d/f", "x")
	for range 2 {
		if c := tr.drain(); c.Lost != watch.LimitReached || len(c.Files) > 0 {
			t.Errorf("got %v, want the loss", c)
		}
	}
}

func TestDroppedEventsAreALossForGood(t *testing.T) {
	entered, goOn := make(chan struct{}), make(chan struct{})
	// The watcher's goroutine is held up while the queue fills.
	skip := func(dir orchestrator.Path) bool {
		if dir == "hold" {
			close(entered)
			<-goOn
		}
		return false
	}
	tr := newTree(t, "f", "g").start(watch.Options{Skip: skip})
	tr.mkdir("hold")
	<-entered
	for range maxQueued(t)/2 + 100 {
		tr.must(os.Chmod(tr.path("f"), 0o644))
		tr.must(os.Chmod(tr.path("g"), 0o644))
	}
	result := make(chan watch.Changes)
	go func() {
		c, err := tr.w.Drain(t.Context())
		if err != nil {
			t.Error(err)
		}
		result <- c
	}()
	close(goOn)
	if c := <-result; c.Lost != watch.Overflow {
		t.Errorf("got %v, want an overflow", c.Lost)
	}
	tr.write("f", "x")
	if c := tr.drain(); c.Lost != watch.Overflow {
		t.Errorf("later %v, want an overflow", c.Lost)
	}
}

func maxQueued(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range strings.TrimSpace(string(raw)) {
		n = n*10 + int(c-'0')
	}
	return n
}

func TestATreeThatMovesIsLost(t *testing.T) {
	for name, end := range map[string]func(tr tree) error{
		"renamed": func(tr tree) error { return os.Rename(tr.dir, tr.dir+"-away") },
		"removed": func(tr tree) error { return os.RemoveAll(tr.dir) },
	} {
		tr := watched(t, "a/b")
		tr.must(end(tr))
		if c := tr.drain(); c.Lost != watch.RootGone {
			t.Errorf("%s: got %v", name, c)
		}
	}
}

func TestADrainThatIsGivenUpLosesNothing(t *testing.T) {
	tr := watched(t, "f")
	tr.write("f", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, err := tr.w.Drain(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		tr.write("f", "y")
	}
	tr.wantTouched("f", "")
}

func TestAClosedWatcherSaysSo(t *testing.T) {
	tr := newTree(t, "f")
	w, err := watch.Start(tr.dir, watch.Options{Private: t.TempDir()})
	tr.must(err)
	tr.must(errors.Join(w.Close(), w.Close()))
	if _, err := w.Drain(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestABarrierThatCannotBeSentIsAnError(t *testing.T) {
	tr := newTree(t, "f")
	private := t.TempDir()
	w, err := watch.Start(tr.dir, watch.Options{Private: private})
	tr.must(err)
	own, err := os.ReadDir(private)
	tr.must(err)
	tr.must(os.RemoveAll(filepath.Join(private, own[0].Name())))
	if _, err := w.Drain(t.Context()); err == nil {
		t.Error("no error")
	}
	tr.must(w.Close())
}

func TestAMissingTreeIsAnErrorAtTheStart(t *testing.T) {
	if _, err := watch.Start(filepath.Join(t.TempDir(), "none"), watch.Options{Private: t.TempDir()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestManyMayDrainAtOnce(t *testing.T) {
	tr := watched(t, "f")
	var mu sync.Mutex
	var all []orchestrator.Path
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := "file" + string(rune('a'+i))
			if err := os.WriteFile(tr.path(name), nil, 0o644); err != nil {
				t.Error(err)
			}
			c, err := tr.w.Drain(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, c.Files...)
		})
	}
	wg.Wait()
	for i := range 8 {
		if name := orchestrator.Path("file" + string(rune('a'+i))); !slices.Contains(all, name) {
			t.Errorf("%s was not reported", name)
		}
	}
}
