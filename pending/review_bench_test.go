package pending_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// benchSizes are the repositories, in files, that benchmarks build.
func benchSizes() []int {
	if os.Getenv("BOO_BENCH_LARGE") != "" {
		return []int{1_000, 10_000, 90_000}
	}
	return []int{1_000, 10_000}
}

// benchWorld is a world of n files, of which a chat's one turn has changed ten.
// status is what one git status of the checkout takes.
type benchWorld struct {
	*world
	share  []orchestrator.FileChange
	turn   orchestrator.TurnID
	status time.Duration
}

func newBenchWorld(b *testing.B, n int) *benchWorld {
	for name, value := range map[string]string{"COUNT": "1", "KEY_0": "gc.auto", "VALUE_0": "0"} {
		b.Setenv("GIT_CONFIG_"+name, value) // no git in the background
	}
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("area%03d/part%04d/file%05d.c", i/640, i/16, i)] = strings.Repeat(fmt.Sprintf("line of %d\n", i), 20)
	}
	w := &benchWorld{world: newWorld(b, files)}
	w.edit(n, 1)
	w.turn = w.world.turn("goose", func(string) {})
	w.edit(n, 2) // so that the rows there are get successors
	before := w.last
	w.turn = w.world.turn("goose", func(string) {})
	var err error
	if w.share, err = w.git.Diff(b.Context(), w.at.CommonDir, before, w.last); err != nil {
		b.Fatal(err)
	}
	w.edit(n, 3)
	snap, err := w.git.Snapshot(b.Context(), w.worktree(), orchestrator.Signature{Name: "goose", Email: "a@b"}, "turn")
	if err != nil {
		b.Fatal(err)
	}
	w.last = snap.Commit
	w.status = w.typical(func() { w.run(w.repo, "status", "--porcelain") })
	return w
}

// edit changes ten files of the chat's worktree.
func (w *benchWorld) edit(n, round int) {
	for k := range 10 {
		i := k * n / 10
		path := filepath.Join(w.agent, fmt.Sprintf("area%03d/part%04d/file%05d.c", i/640, i/16, i))
		if err := os.WriteFile(path, fmt.Appendf(nil, "round %d\n%s", round, strings.Repeat(fmt.Sprintf("line of %d\n", i), 20)), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// typical is the median time of what a program of git's takes, warm.
func (w *world) typical(run func()) time.Duration {
	run()
	times := make([]time.Duration, 9)
	for i := range times {
		start := time.Now()
		run()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// against runs an operation over and over, and reports how its median time
// compares with that of a program of git's.
func against(b *testing.B, peer time.Duration, prepare, run func()) {
	var times []time.Duration
	for b.Loop() {
		b.StopTimer()
		prepare()
		b.StartTimer()
		start := time.Now()
		run()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/float64(peer), "ratio")
	b.ReportMetric(float64(peer)/1e6, "peer-ms")
}

func nothing() {}

// The share of a turn and the step of the pending set, against one git status.
func BenchmarkRecomputeAfterTenFiles(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBenchWorld(b, n)
			parent := orchestrator.ObjectID(strings.TrimSpace(w.run(w.repo, "rev-parse", string(w.last)+"^")))
			against(b, w.status, nothing, func() {
				share, err := w.git.Diff(b.Context(), w.at.CommonDir, parent, w.last)
				if err != nil {
					b.Fatal(err)
				}
				delta, err := w.engine.Delta(b.Context(), w.worktree(), w.last, share, orchestrator.Contribution{Agent: "goose", Turn: w.turn})
				if err != nil || len(delta.Insert) != 10 || len(delta.Retire) != 10 {
					b.Fatal(err, delta)
				}
			})
		})
	}
}

// What boo pending ls asks for, against one git status.
func BenchmarkReviewForLs(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBenchWorld(b, n)
			e := w.review()
			sel := orchestrator.ReviewSelector{ChangeSelector: orchestrator.ChangeSelector{Dir: w.repo, All: true}, Renames: true}
			against(b, w.status, nothing, func() {
				sets, err := e.Review(b.Context(), sel)
				if err != nil || len(sets) != 1 || len(sets[0].Changes) != 10 {
					b.Fatal(err, sets)
				}
			})
		})
	}
}

// review is an engine that can look, and do nothing else.
func (w *benchWorld) review() *orchestrator.Engine {
	return orchestrator.NewEngine(orchestrator.Config{
		Store: w.store, Trees: w.git, Pending: w.engine, Locks: w.locks, Worktrees: filepath.Join(w.dir, "worktrees"),
	})
}
