package daemon_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

var _ orchestrator.Locks = (*daemon.Locks)(nil)

func newLocks(t testing.TB) (*daemon.Locks, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run", "locks")
	locks, err := daemon.NewLocks(dir)
	must(t, err)
	return locks, dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func take(t testing.TB, locks *daemon.Locks, name string) (release func()) {
	t.Helper()
	release, ok, err := locks.TryLock(name)
	must(t, err)
	if !ok {
		t.Fatalf("lock %s is taken", name)
	}
	return release
}

func isFree(t testing.TB, locks *daemon.Locks, name string) bool {
	t.Helper()
	release, ok, err := locks.TryLock(name)
	must(t, err)
	if ok {
		release()
	}
	return ok
}

// A child has all descriptors of boo's between its fork and its exec.
func TestALockThatWasLetGoIsFreeThoughAChildHasItsFileStill(t *testing.T) {
	locks, dir := newLocks(t)
	release := take(t, locks, "chat-c1")
	fds, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	copies := 0
	for _, entry := range fds {
		path, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil || path != filepath.Join(dir, "chat-c1.lock") {
			continue
		}
		fd, err := strconv.Atoi(entry.Name())
		must(t, err)
		child, err := syscall.Dup(fd)
		must(t, err)
		defer syscall.Close(child)
		copies++
		break // the copy may have the number of an entry to come
	}
	release()
	if copies != 1 || !isFree(t, locks, "chat-c1") {
		t.Errorf("the lock is held still, with %d copies of its file's descriptor", copies)
	}
}

func TestALockHasOneHolder(t *testing.T) {
	locks, dir := newLocks(t)
	other, err := daemon.NewLocks(dir)
	must(t, err)
	release := take(t, locks, "chat-c1")
	if isFree(t, locks, "chat-c1") || isFree(t, other, "chat-c1") {
		t.Fatal("taken twice")
	}
	if !isFree(t, other, "chat-c2") {
		t.Fatal("another lock is taken too")
	}
	release()
	release() // harmless
	again := take(t, other, "chat-c1")
	release() // of a lock that is somebody else's by now
	if isFree(t, locks, "chat-c1") {
		t.Fatal("a second release took the lock from its new holder")
	}
	again()
}

func TestGoroutinesExcludeEachOther(t *testing.T) {
	locks, _ := newLocks(t)
	counter, inside := 0, false // unguarded but for the lock: the race detector watches
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				release, err := locks.Lock(t.Context(), "x", func() {})
				if err != nil {
					t.Error(err)
					return
				}
				if inside {
					t.Error("two are inside")
				}
				inside = true
				counter++
				inside = false
				release()
			}
		})
	}
	all.Wait()
	if counter != 160 {
		t.Fatalf("counted %d", counter)
	}
}

func TestWhoWaitsIsToldOnceAndGetsTheLock(t *testing.T) {
	locks, _ := newLocks(t)
	release, err := locks.Lock(t.Context(), "x", func() { t.Error("told to wait for a free lock") })
	must(t, err)
	told := make(chan struct{}, 8)
	got := make(chan error, 1)
	go func() {
		mine, err := locks.Lock(t.Context(), "x", func() { told <- struct{}{} })
		if err == nil {
			mine()
		}
		got <- err
	}()
	<-told
	select {
	case err := <-got:
		t.Fatalf("got a lock that is taken (%v)", err)
	case <-time.After(50 * time.Millisecond):
	}
	release()
	must(t, <-got)
	if len(told) != 0 {
		t.Fatal("told more than once")
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	locks, _ := newLocks(t)
	defer take(t, locks, "x")()
	why := errors.New("the person left")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := locks.Lock(ctx, "x", func() { cancel(why) })
	if !errors.Is(err, why) || orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Fatal(err)
	}
	_, err = locks.Lock(ctx, "free", func() {})
	if !errors.Is(err, why) {
		t.Fatalf("a lock was given after the end: %v", err)
	}
}

func TestTheFilesStayAndAreTheOwnersAlone(t *testing.T) {
	locks, dir := newLocks(t)
	take(t, locks, "chat-c1")()
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "chat-c1.lock"): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	must(t, os.Chmod(dir, 0o755))
	_, err := daemon.NewLocks(dir)
	must(t, err)
	info, err := os.Stat(dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Fatalf("the directory stays open to others: %o", info.Mode().Perm())
	}
}

func TestALockFileDeletedByHandIsMadeAgain(t *testing.T) {
	locks, dir := newLocks(t)
	release := take(t, locks, "x")
	must(t, os.Remove(filepath.Join(dir, "x.lock")))
	release()
	defer take(t, locks, "x")()
	if isFree(t, locks, "x") {
		t.Fatal("taken twice")
	}
}

func TestAnyNameStaysInItsDirectory(t *testing.T) {
	locks, dir := newLocks(t)
	long := strings.Repeat("/a/very/long/path", 100)
	names := []string{"..", ".", "../x", "a/b", "A", "a", "a.b", "%41", "\x00", "ü", "x\xff", "apply-" + long, "apply-" + long + "2"}
	for _, name := range names {
		defer take(t, locks, name)() // each is another lock
	}
	for _, name := range names {
		if isFree(t, locks, name) {
			t.Errorf("%q is free", name)
		}
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != len(names) {
		t.Fatalf("%d files for %d names", len(entries), len(names))
	}
	_, _, err = locks.TryLock("")
	if orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Fatal(err)
	}
}

func TestADirectoryThatCannotBeIsDenied(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err := daemon.NewLocks(filepath.Join(dir, "file", "locks"))
	if orchestrator.CodeOf(err) != orchestrator.CodeDenied || orchestrator.HintOf(err) == "" {
		t.Fatal(err)
	}
	locks, run := newLocks(t)
	must(t, os.Symlink(filepath.Join(dir, "file"), filepath.Join(run, "x.lock")))
	if _, _, err := locks.TryLock("x"); orchestrator.CodeOf(err) != orchestrator.CodeDenied {
		t.Fatalf("a symbolic link was followed: %v", err)
	}
}
