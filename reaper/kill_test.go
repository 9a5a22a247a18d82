package reaper_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/reaper"
)

// years is a time after which every archive has ended.
const years = 1000 * 24 * time.Hour

// sweepOnce sweeps at a time when everything is due.
func (w *world) sweepOnce(step func(string)) error {
	locks, err := daemon.NewLocks(filepath.Join(w.root, "locks"))
	if err != nil {
		return err
	}
	b := w.broomWith(reaper.DefaultRules(), locks)
	b.clock.pass(years)
	w.archiver.OnStep(step)
	b.sweeper.OnStep(step)
	_, err = b.engine.Sweep(context.Background(), orchestrator.SweepRequest{})
	return err
}

// A sweep that archives and, since its clock is years ahead, ends the archive is
// killed; the next ones finish what it began.
func TestKilledAtAnyStepOfASweepTheNextOneFinishesIt(t *testing.T) {
	for _, at := range []string{"retire", "archived", "purge", "release"} {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			must(t, w.settled())
			if at == "purge" || at == "release" {
				must(t, w.do(t.Context(), "archive", w.wt.Chat))
			}
			if !w.killed(order{Dir: w.root, Do: "sweep", At: at}) {
				t.Fatal("there is no such step")
			}
			for range 2 {
				must(t, w.sweepOnce(func(string) {}))
			}
			if w.state() != orchestrator.WorktreePurged {
				t.Errorf("it is %s", w.state())
			}
			if left, _ := os.ReadDir(w.root + "/worktrees/.trash"); len(left) > 0 || there(string(w.wt.Dir)) {
				t.Errorf("left are %v", left)
			}
			if refs := w.git(w.root+"/repo", "for-each-ref", "refs/boo"); refs != "" {
				t.Errorf("left are\n%s", refs)
			}
			w.git(w.root+"/repo", "fsck", "--strict")
		})
	}
}
