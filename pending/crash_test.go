package pending_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/pending"
)

// A test starts this binary again with an order in the environment; the process
// then carries it out and kills itself before the given step.
const orderVar = "BOO_PENDING_TEST_ORDER"

type order struct {
	Dir  string
	Do   string // apply, reject, undo or recover
	Chat orchestrator.ChatID
	At   orchestrator.Checkout
	Die  int // before this step, counted from 1

	Options orchestrator.ApplyOptions
}

func TestMain(m *testing.M) {
	if raw, ok := os.LookupEnv(orderVar); ok {
		if err := obey(raw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey(raw string) error {
	var o order
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	w, err := openWorld(o.Dir)
	if err != nil {
		return err
	}
	steps := 0
	w.engine.OnStep(func(string) {
		if steps++; steps == o.Die {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	ctx := context.Background()
	switch o.Do {
	case "recover":
		_, err = w.engine.Recover(ctx)
	case "undo":
		_, err = w.engine.Undo(ctx, orchestrator.UndoRequest{Checkout: o.At})
	case "reject":
		if err = w.engine.CatchUp(ctx, o.Chat); err != nil {
			return err
		}
		steps = 0
		var rows []orchestrator.Change
		rows, err = w.store.Changes(ctx, orchestrator.ChangeQuery{Chat: o.Chat, States: []orchestrator.ChangeState{orchestrator.ChangePending}})
		if err != nil {
			return err
		}
		var wt orchestrator.Worktree
		if wt, err = w.store.Worktree(ctx, o.Chat); err != nil {
			return err
		}
		_, err = w.engine.Reject(ctx, orchestrator.RejectRequest{Worktree: wt, Origin: o.At.Dir, Changes: rows})
	case "apply":
		var rows []orchestrator.Change
		rows, err = w.store.Changes(ctx, orchestrator.ChangeQuery{Chat: o.Chat, States: []orchestrator.ChangeState{orchestrator.ChangePending}})
		if err != nil {
			return err
		}
		_, err = w.engine.Apply(ctx, orchestrator.ApplyRequest{
			Worktree: orchestrator.Worktree{Chat: o.Chat}, Checkout: o.At, Changes: rows, Options: o.Options,
		})
	}
	return err
}

// die runs an order in a process of its own and reports whether it died at its
// step; false means that it got to the end before.
func (w *world) die(do string, step int) bool {
	w.t.Helper()
	raw, err := json.Marshal(order{Dir: w.dir, Do: do, Chat: w.chat, At: w.at, Die: step, Options: w.options})
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVar+"="+string(raw))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", do, err, out.Bytes())
	}
	return false
}

// crashWorld has one change of each kind that is written in its own way.
func crashWorld(t *testing.T) (w *world, before, after map[string]string) {
	w = newWorld(t, map[string]string{
		"edited": "1\n2\n3\n4\n5\n", "merged": "1\n2\n3\n4\n5\n", "deep/er/deleted": "x", "file-to-dir": "f",
		"dir-to-file/a": "a", "link": "-> edited", "mode.sh": "echo\n",
	})
	write(t, w.repo, map[string]string{"merged": "1\n2\n3\n4\nmine\n", "untracked": "mine"})
	before = tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{
		"edited": "1\nagent\n3\n4\n5\n", "merged": "agent\n2\n3\n4\n5\n", "deep/er/deleted": "-", "file-to-dir": "-",
		"dir-to-file/a": "-", "dir-to-file": "-", "link": "-> merged", "mode.sh": "+x:echo\n", "new/dir/f": "new",
	}))
	w.turn("qwen", w.edit(map[string]string{"dir-to-file": "file", "file-to-dir/g": "g"}))
	after = maps.Clone(tree(t, w.agent))
	after["merged"] = "-rw-r--r-- agent\n2\n3\n4\nmine\n"
	after["untracked"] = "-rw-r--r-- mine"
	delete(after, "deep") // git lets go of directories that deletions empty
	delete(after, "deep/er")
	return w, before, after
}

// checkRecovered makes sure that the checkout is in one of the two states and
// the store agrees, and reports whether the changes are applied.
func (w *world) checkRecovered(what string, before, after map[string]string) (applied bool) {
	w.t.Helper()
	if _, err := w.engine.Recover(w.t.Context()); err != nil {
		w.t.Fatalf("%s: recover: %v", what, err)
	}
	w.checkSet()
	open, err := w.store.Applies(w.t.Context(), "", orchestrator.ApplyPrepared)
	if err != nil || len(open) > 0 {
		w.t.Fatalf("%s: still open: %v %v", what, open, err)
	}
	if applied = len(w.pending()) == 0; applied {
		same(w.t, what+", applied", tree(w.t, w.repo), after)
	} else {
		same(w.t, what+", not applied", tree(w.t, w.repo), before)
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
	return applied
}

func TestKilledAtEveryStepOfApply(t *testing.T) {
	t.Parallel()
	w, before, after := crashWorld(t)
	outcomes := map[bool]int{}
	for step := 1; w.die("apply", step); step++ {
		applied := w.checkRecovered(fmt.Sprintf("killed at step %d", step), before, after)
		outcomes[applied]++
		if applied {
			w.mustUndo()
			same(t, "after undo", tree(t, w.repo), before)
		}
	}
	if outcomes[false] < 15 || outcomes[true] < 2 {
		t.Errorf("%d deaths before the commit, %d after", outcomes[false], outcomes[true])
	}
	w.checkClean()
	w.checkRecovered("at the end", before, after)
}

// letting are locks whose holder lets go once somebody waits for one.
type letting struct {
	orchestrator.Locks
	release func()
}

func (l letting) Lock(ctx context.Context, name string, waiting func()) (func(), error) {
	l.release()
	return l.Locks.Lock(ctx, name, waiting)
}

// A child that a killed process was just starting holds its locks for a moment.
func TestARecoveryWaitsForTheLocksOfAKilledProcess(t *testing.T) {
	t.Parallel()
	w, before, after := crashWorld(t)
	for step := 1; w.die("apply", step); step++ {
		if open, err := w.store.Applies(t.Context(), "", orchestrator.ApplyPrepared); err != nil || len(open) == 0 {
			continue
		}
		release, ok, err := w.locks.TryLock(pending.LockName(w.at.Dir))
		if !ok || err != nil {
			t.Fatalf("%t %v", ok, err)
		}
		w.engine = pending.New(w.git, w.store, letting{w.locks, release})
		if w.checkRecovered("killed", before, after) {
			t.Error("it was applied")
		}
		return
	}
	t.Fatal("no step leaves a record")
}

func TestKilledAtEveryStepOfUndo(t *testing.T) {
	t.Parallel()
	w, before, after := crashWorld(t)
	rows := len(w.pending())
	w.mustApply()
	same(t, "after apply", tree(t, w.repo), after)
	outcomes := map[bool]int{}
	for step := 1; w.die("undo", step); step++ {
		applied := w.checkRecovered(fmt.Sprintf("killed at step %d", step), before, after)
		outcomes[applied]++
		if !applied {
			if n := len(w.pending()); n != rows {
				t.Fatalf("%d changes are pending again, were %d", n, rows)
			}
			w.mustApply()
		}
	}
	if outcomes[true] < 15 || outcomes[false] < 2 {
		t.Errorf("%d deaths before the commit, %d after", outcomes[true], outcomes[false])
	}
	w.checkClean()
	w.checkRecovered("at the end", before, after)
}

func TestKilledAgainWhileTakingBack(t *testing.T) {
	t.Parallel()
	w, before, after := crashWorld(t)
	for _, first := range []int{5, 10, 17, 25, 29} {
		for second := 1; ; second++ {
			if !w.die("apply", first) {
				t.Fatalf("apply has fewer than %d steps", first)
			}
			more := w.die("recover", second)
			if w.checkRecovered(fmt.Sprintf("killed at steps %d and %d", first, second), before, after) {
				w.mustUndo()
			}
			if !more {
				break
			}
		}
	}
}
