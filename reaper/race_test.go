package reaper_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/reaper"
)

// A person's git may clear up whenever it likes to.
func TestGitClearsUpBeforeEveryStepAndNothingIsLost(t *testing.T) {
	w := newWorld(t)
	w.git(w.root+"/repo", "reflog", "expire", "--expire=now", "--all")
	before := w.all()
	steps := 0
	w.archiver.OnStep(func(string) {
		steps++
		w.git(w.root+"/repo", "worktree", "prune", "--expire=now")
		w.git(w.root+"/repo", "gc", "-q", "--prune=now")
	})
	for _, what := range []string{"archive", "restore"} {
		must(t, w.do(t.Context(), what, w.wt.Chat))
	}
	if steps < 10 {
		t.Errorf("there were %d steps", steps)
	}
	w.same(before)
	w.git(w.root+"/repo", "fsck", "--strict")
}

// Two reapers, two people at two terminals: each step is one's alone.
func TestASecondReaperComesBeforeEveryStepAndKeepsOff(t *testing.T) {
	b := newBroom(t)
	before := b.all()
	locks, err := daemon.NewLocks(filepath.Join(b.root, "locks"))
	must(t, err)
	again, err := open(b.root)
	must(t, err)
	t.Cleanup(func() { _ = again.db.Close() })
	other := again.broomWith(reaper.DefaultRules(), locks)
	*other.clock = *b.clock
	other.clock.pass(2 * time.Hour)
	ref := orchestrator.ChatRef{Prefix: string(b.wt.Chat)}
	steps, busy := 0, 0
	second := func(string) {
		steps++
		_, errSweep := other.engine.Sweep(t.Context(), orchestrator.SweepRequest{All: true})
		if orchestrator.CodeOf(errSweep) != orchestrator.CodeBusy {
			t.Errorf("a second sweep: %v", errSweep)
		}
		// Where the chat is nobody's yet, it may be archived by whoever comes first.
		if _, err := other.engine.Archive(t.Context(), ref, false); orchestrator.CodeOf(err) == orchestrator.CodeBusy {
			busy++
		}
	}
	b.archiver.OnStep(second)
	b.age()
	if done := b.sweep(); done.Counts[orchestrator.SweepArchive] != 1 || b.state() != orchestrator.WorktreeArchived {
		t.Fatalf("%v, and it is %s", done.Counts, b.state())
	}
	if steps < 6 || busy != steps {
		t.Errorf("of %d others %d were told to wait", steps, busy)
	}
	b.archiver.OnStep(func(string) {})
	must(t, b.do(t.Context(), "restore", b.wt.Chat))
	b.same(before)
}

// What a process has open, or in its memory, it may write to after the last look.
func TestAWorktreeWithAFileInUseStays(t *testing.T) {
	for _, how := range []string{"open", "map"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			before := w.all()
			raw, err := json.Marshal(order{Dir: string(w.wt.Dir) + "/sub/a b.txt", Do: how})
			must(t, err)
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Dir, cmd.Env, cmd.Stderr = "/", append(os.Environ(), orderVar+"="+string(raw)), os.Stderr
			in, err := cmd.StdinPipe()
			must(t, err)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
			_, err = bufio.NewReader(out).ReadString('\n')
			must(t, err)
			if err := w.do(t.Context(), "archive", w.wt.Chat); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk {
				t.Errorf("archive: %v", err)
			}
			w.same(before)
		})
	}
}

// holdFile has a file open, or nothing but its content in memory, until stdin ends.
func holdFile(path string, mapped bool) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if mapped {
		if _, err := syscall.Mmap(int(f.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(f)
	return err
}
