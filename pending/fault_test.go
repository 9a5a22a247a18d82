package pending_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/pending"
)

// faulty is the real git and the real store, of which one call fails once.
type faulty struct {
	pending.Git
	pending.Store
	fail  string // name of the call
	after int    // calls of it that still succeed
	err   error
}

func (f *faulty) due(call string) error {
	if call != f.fail {
		return nil
	}
	if f.after--; f.after == -1 {
		return f.err
	}
	return nil
}

func (f *faulty) Current(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) (map[orchestrator.Path]orchestrator.Reading, error) {
	if err := f.due("Current"); err != nil {
		return nil, err
	}
	return f.Git.Current(ctx, c, paths, hints)
}

// Materialize writes before it fails, as a disk fills up.
func (f *faulty) Materialize(ctx context.Context, c orchestrator.Checkout, dir string, entries map[orchestrator.Path]orchestrator.Entry, name func(orchestrator.Path) string) error {
	if err := f.Git.Materialize(ctx, c, dir, entries, name); err != nil {
		return err
	}
	return f.due("Materialize")
}

func (f *faulty) MoveRef(ctx context.Context, common orchestrator.GitDir, ref string, old, new orchestrator.ObjectID) error {
	if err := f.due("MoveRef"); err != nil {
		return err
	}
	return f.Git.MoveRef(ctx, common, ref, old, new)
}

func (f *faulty) PutApply(ctx context.Context, a orchestrator.Apply) error {
	if err := f.due("PutApply"); err != nil {
		return err
	}
	return f.Store.PutApply(ctx, a)
}

func (f *faulty) CommitApply(ctx context.Context, a orchestrator.Apply, rest []orchestrator.Change) error {
	if err := f.due("CommitApply"); err != nil {
		return err
	}
	return f.Store.CommitApply(ctx, a, rest)
}

func (f *faulty) MoveApply(ctx context.Context, id orchestrator.ApplyID, from, to orchestrator.ApplyState) error {
	if err := f.due("MoveApply"); err != nil {
		return err
	}
	return f.Store.MoveApply(ctx, id, from, to)
}

func TestAFailureAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	for _, c := range []struct {
		fail  string
		after int
		err   error
		code  orchestrator.Code
	}{
		{"Current", 0, full, orchestrator.CodeFull},
		{"Materialize", 0, full, orchestrator.CodeFull},
		{"Materialize", 0, syscall.EIO, orchestrator.CodeInternal},
		{"PutApply", 0, orchestrator.Errorf(orchestrator.CodeFull, "database full"), orchestrator.CodeFull},
		{"MoveRef", 0, full, orchestrator.CodeFull},
		{"Current", 1, syscall.EACCES, orchestrator.CodeDenied},
		{"MoveRef", 1, orchestrator.Errorf(orchestrator.CodeConflict, "somebody moved it"), orchestrator.CodeConflict},
		{"CommitApply", 0, full, orchestrator.CodeFull},
		{"CommitApply", 0, orchestrator.Errorf(orchestrator.CodeConflict, "superseded"), orchestrator.CodeConflict},
	} {
		t.Run(fmt.Sprintf("%s %d %v", c.fail, c.after, c.err), func(t *testing.T) {
			t.Parallel()
			w, before, _ := crashWorld(t)
			f := &faulty{Git: w.git, Store: w.store, fail: c.fail, after: c.after, err: c.err}
			broken := pending.New(f, f, w.locks)
			_, err := broken.Apply(t.Context(), orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending()})
			if orchestrator.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), "nothing was changed") {
				t.Errorf("error %v (%s), want %s", err, orchestrator.CodeOf(err), c.code)
			}
			same(t, "after the failure", tree(t, w.repo), before)
			w.checkClean()
			w.mustApply()
			w.checkSet()
		})
	}
}

func TestARecordThatCannotBeClosedIsClosedByTheNextCommand(t *testing.T) {
	t.Parallel()
	w, before, _ := crashWorld(t)
	f := &faulty{Git: w.git, Store: w.store, fail: "MoveApply", err: syscall.EIO}
	broken := pending.New(f, f, w.locks)
	broken.OnStep(func(step string) {
		if step == "read back" {
			write(t, w.repo, map[string]string{"edited": "mine"})
		}
	})
	_, err := broken.Apply(t.Context(), orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending()})
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("error %v", err)
	}
	before["edited"] = "-rw-r--r-- mine"
	same(t, "taken back", tree(t, w.repo), before)
	done, err := w.engine.Recover(t.Context())
	if err != nil || len(done) != 1 || done[0].State != orchestrator.ApplyRolledBack {
		t.Errorf("recovered %+v %v", done, err)
	}
	same(t, "recovered", tree(t, w.repo), before)
	w.checkClean()
	w.checkSet()
}

func TestRecoverLeavesARunningApplyAlone(t *testing.T) {
	t.Parallel()
	w, _, after := crashWorld(t)
	other := pending.New(w.git, w.store, w.locks)
	w.onStep("place", 3, func() {
		if done, err := other.Recover(t.Context()); err != nil || len(done) != 0 {
			t.Errorf("recovered %v %v while an apply runs", done, err)
		}
	})
	w.mustApply()
	same(t, "applied", tree(t, w.repo), after)
}

func TestRecoverWithNothingToDo(t *testing.T) {
	t.Parallel()
	w, _, _ := crashWorld(t)
	w.mustApply()
	if done, err := w.engine.Recover(t.Context()); err != nil || len(done) != 0 {
		t.Errorf("recovered %v %v", done, err)
	}
}

func TestRecoverWithoutItsStageTouchesNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	w, _, _ := crashWorld(t)
	if !w.die("apply", 17) {
		t.Fatal("apply got to its end")
	}
	if err := os.RemoveAll(filepath.Join(string(w.at.GitDir), "boo")); err != nil {
		t.Fatal(err)
	}
	cut := tree(t, w.repo)
	done, err := w.engine.Recover(t.Context())
	if err != nil || len(done) != 1 || len(done[0].Conflict) == 0 {
		t.Fatalf("recovered %+v %v", done, err)
	}
	same(t, "left", tree(t, w.repo), cut)
	for _, pc := range done[0].Conflict {
		_, command, ok := strings.Cut(pc.Reason, "as it was before: git ")
		if ok && w.run(w.repo, strings.Fields(command)...) == "" {
			t.Errorf("%s: nothing is held at %s", pc.Path, command)
		}
	}
	w.checkSet()
}
