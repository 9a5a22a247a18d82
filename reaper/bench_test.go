package reaper_test

import (
	"context"
	"fmt"
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

// crowd is a repository with many closed chats, of which some have work that is
// nowhere else.
func crowd(b *testing.B, chats, files int) *broom {
	b.Helper()
	root, err := filepath.EvalSymlinks(b.TempDir())
	mustB(b, err)
	w, err := open(root)
	mustB(b, err)
	b.Cleanup(func() { _ = w.db.Close() })
	repo := root + "/repo"
	gitB(b, root, "init", "-q", "repo")
	mustB(b, os.WriteFile(root+"/.gitconfig", []byte("[user]\n\tname = Ada\n\temail = ada@example.org\n"), 0o600))
	for i := range files {
		path := fmt.Sprintf("%s/d%d/f%d.txt", repo, i/10, i)
		mustB(b, os.MkdirAll(filepath.Dir(path), 0o755))
		mustB(b, os.WriteFile(path, fmt.Appendf(nil, "file %d\n", i), 0o644))
	}
	gitB(b, root, "-C", repo, "add", "-A")
	gitB(b, root, "-C", repo, "commit", "-q", "-m", "base")
	ctx := b.Context()
	c, err := w.trees.Checkout(ctx, repo)
	mustB(b, err)
	r, err := w.db.PutRepo(ctx, orchestrator.Repo{ID: orchestrator.NewRepoID(), CommonDir: c.CommonDir, Root: c.Dir})
	mustB(b, err)
	past := time.Now().Add(-2 * time.Second)
	for i := range chats {
		id := orchestrator.NewChatID()
		wt := orchestrator.Worktree{
			Chat: id, Repo: r.ID, CommonDir: c.CommonDir, Base: c.Head, Baseline: c.Head, State: orchestrator.WorktreeActive,
			Dir: orchestrator.WorktreeDir(filepath.Join(root, "worktrees", string(r.ID), string(id))),
		}
		turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: id, Agent: "goose", Prompt: "x", State: orchestrator.TurnQueued, Sent: past}
		_, err = w.db.Enqueue(ctx, turn, &orchestrator.NewChat{Chat: orchestrator.Chat{ID: id, Repo: r.ID, Title: "x", State: orchestrator.ChatClosed}, Worktree: wt})
		mustB(b, err)
		_, err = w.db.EndTurn(ctx, orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnFailed})
		mustB(b, err)
		mustB(b, w.trees.Create(ctx, wt))
		dir := string(wt.Dir)
		switch {
		case i%100 == 1: // uncommitted
			mustB(b, os.WriteFile(dir+"/d0/f0.txt", []byte("edited\n"), 0o644))
		case i%100 == 2: // committed, on no branch
			mustB(b, os.WriteFile(dir+"/new.txt", []byte("new\n"), 0o644))
			gitB(b, root, "-C", dir, "add", "-A")
			gitB(b, root, "-C", dir, "commit", "-q", "-m", "lonely")
		}
		if i%100 != 1 { // as the end of a turn does
			_, err := w.trees.Snapshot(ctx, wt, orchestrator.Signature{Name: "goose", Email: "goose@boo", When: past}, "turn\n")
			mustB(b, err)
		}
	}
	locks, err := daemon.NewLocks(root + "/locks")
	mustB(b, err)
	broom := w.broomWith(reaper.DefaultRules(), locks)
	broom.clock.pass(2 * time.Hour)
	return broom
}

// cpuTime is what this process and those that it has waited for have used.
func cpuTime() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var use syscall.Rusage
		if syscall.Getrusage(who, &use) == nil {
			sum += time.Duration(use.Utime.Nano() + use.Stime.Nano())
		}
	}
	return sum
}

func mustB(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func gitB(b *testing.B, home string, args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", args...)
	cmd.Dir, cmd.Env = home, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// BenchmarkSweep judges the worktrees of a thousand closed chats, beside git
// status in each of them.
func BenchmarkSweep(b *testing.B) {
	const chats = 1000
	w := crowd(b, chats, 100)
	dirs, err := filepath.Glob(w.root + "/worktrees/r*/c*")
	mustB(b, err)
	if len(dirs) != chats {
		b.Fatalf("%d worktrees", len(dirs))
	}
	var swept, statuses, sweptCPU, statusesCPU time.Duration
	var before, after runtime.MemStats
	for b.Loop() {
		began, cpu := time.Now(), cpuTime()
		for _, dir := range dirs {
			gitB(b, w.root, "-C", dir, "status", "--porcelain")
		}
		statuses, statusesCPU = statuses+time.Since(began), statusesCPU+cpuTime()-cpu
		runtime.GC()
		runtime.ReadMemStats(&before)
		began, cpu = time.Now(), cpuTime()
		done, err := w.engine.Sweep(context.Background(), orchestrator.SweepRequest{DryRun: true})
		swept, sweptCPU = swept+time.Since(began), sweptCPU+cpuTime()-cpu
		runtime.ReadMemStats(&after)
		mustB(b, err)
		if done.Counts[orchestrator.SweepArchive] != chats*98/100 || done.Counts[orchestrator.SweepHold] != chats*2/100 {
			b.Fatalf("%v", done.Counts)
		}
	}
	b.ReportMetric(float64(swept)/float64(statuses), "of-git-status")
	b.ReportMetric(float64(sweptCPU)/float64(statusesCPU), "of-its-cpu")
	b.ReportMetric(float64(int64(after.HeapSys)-int64(before.HeapSys))/(1<<20), "MB-more")
	b.ReportMetric(float64(swept.Milliseconds())/float64(b.N), "ms/sweep")
}

// BenchmarkArchive archives a clean worktree, as a caller sees it, beside git
// worktree remove of one like it: one that is watched, as it is after a turn, and
// one that is not.
func BenchmarkArchive(b *testing.B) {
	for _, files := range []int{100, 90_000} {
		for _, kind := range []string{"watched", "unwatched"} {
			b.Run(fmt.Sprintf("files=%d/%s", files, kind), func(b *testing.B) {
				var archived, removed time.Duration
				for b.Loop() {
					b.StopTimer()
					took, plain := archiveOnce(b, files, kind == "watched")
					archived, removed = archived+took, removed+plain
					b.StartTimer()
				}
				b.ReportMetric(float64(archived)/float64(removed), "of-git-worktree-remove")
				b.ReportMetric(float64(archived.Milliseconds())/float64(b.N), "ms/archive")
			})
		}
	}
}

func archiveOnce(b *testing.B, files int, watched bool) (archived, removed time.Duration) {
	w := crowd(b, 1, files)
	list, err := w.db.SweepChats(b.Context(), []orchestrator.WorktreeState{orchestrator.WorktreeActive}, "", 1)
	mustB(b, err)
	wt := list[0].Worktree
	if watched {
		defer restAfterTurn(b, w, wt).Close()
	}
	gitB(b, w.root, "-C", w.root+"/repo", "worktree", "add", "-q", "--detach", w.root+"/plain")
	var steps []string
	last, step := time.Now(), "judge"
	w.archiver.OnStep(func(name string) {
		steps = append(steps, fmt.Sprintf("%s %v", step, time.Since(last).Round(time.Millisecond)))
		last, step = time.Now(), name
	})
	began := time.Now()
	_, err = w.engine.Archive(b.Context(), orchestrator.ChatRef{Prefix: string(wt.Chat)}, false)
	archived = time.Since(began)
	mustB(b, err)
	b.Log(steps)
	began = time.Now()
	gitB(b, w.root, "-C", w.root+"/repo", "worktree", "remove", w.root+"/plain")
	removed = time.Since(began)
	mustB(b, w.engine.Close())
	return archived, removed
}

// restAfterTurn has a worktree watched as a daemon leaves it when a turn is over.
func restAfterTurn(b *testing.B, w *broom, wt orchestrator.Worktree) orchestrator.TreeWatch {
	by := orchestrator.Signature{Name: "goose", Email: "goose@boo", When: time.Now()}
	watch := w.trees.Watch(b.Context(), wt)
	watch.Rest(b.Context()) // is watched by now
	snap, err := watch.Snapshot(b.Context(), by, "turn\n")
	mustB(b, err)
	if snap.Verified {
		b.Fatal("the worktree is not watched")
	}
	_, err = watch.Confirm(b.Context(), by, "turn\n")
	mustB(b, err)
	watch.Rest(b.Context())
	return watch
}
