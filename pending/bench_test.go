package pending_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkApply applies and undoes changes in repositories of several sizes,
// and has git apply the same changes in the same repository. The metric is the
// ratio of the medians; cost has to follow the changes, not the repository. What
// an apply leaves for afterwards is a metric of its own.
func BenchmarkApply(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if os.Getenv("BOO_BENCH_LARGE") != "" {
		sizes = append(sizes, 90_000)
	}
	for _, size := range sizes {
		for _, changed := range []int{10, 1_000} {
			if changed < size {
				b.Run(fmt.Sprintf("files=%d/changed=%d", size, changed), func(b *testing.B) { benchApply(b, size, changed) })
			}
		}
	}
}

func benchApply(b *testing.B, size, changed int) {
	name := func(i int) string { return fmt.Sprintf("d%02d/e%02d/f%05d.txt", i%40, i/40%25, i) }
	content := func(i int, line string) string {
		return strings.Repeat(fmt.Sprintf("line of %d\n", i), 20) + line + strings.Repeat("the rest\n", 20)
	}
	files := make(map[string]string, size)
	for i := range size {
		files[name(i)] = content(i, "before\n")
	}
	w := newWorld(b, files)
	w.run(w.repo, "config", "gc.auto", "0") // nothing in the background
	edits := map[string]string{}
	for i := range changed {
		edits[name(i*(size/changed))] = content(i*(size/changed), "after\n")
	}
	w.turn("goose", w.edit(edits))
	base, rounds := w.worktree().Baseline, max(b.N, 3)
	var ours, afters, gits []time.Duration
	// Each begins with what the one before has written on the disk: the next one
	// to ask for that would else wait for it.
	clean := func() {
		if err := syncFileSystem(w.repo); err != nil {
			b.Fatal(err)
		}
	}
	for range rounds {
		clean()
		begin := time.Now()
		if r, err := w.apply(); err != nil {
			b.Fatalf("apply: %v %v", err, r.Conflict)
		}
		ours = append(ours, time.Since(begin))
		begin = time.Now()
		w.checkClean()
		afters = append(afters, time.Since(begin))
		w.mustUndo()
		w.run(w.repo, "update-index", "-q", "--refresh")

		script := exec.CommandContext(b.Context(), "sh", "-c", `git diff-tree -p "$1" "$2" | git apply --3way`, "sh", string(base), string(w.last))
		script.Dir, script.Env = w.repo, append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(w.dir, "none"))
		clean()
		begin = time.Now()
		if out, err := script.CombinedOutput(); err != nil {
			b.Fatalf("git apply: %v\n%s", err, out)
		}
		gits = append(gits, time.Since(begin))
		w.run(w.repo, "reset", "-q", "--hard")
	}
	median := func(of []time.Duration) time.Duration { return slices.Sorted(slices.Values(of))[len(of)/2] }
	mine, git := median(ours), median(gits)
	b.ReportMetric(float64(mine)/float64(git), "ratio")
	b.ReportMetric(float64(mine.Milliseconds()), "ms/apply")
	b.ReportMetric(float64(median(afters).Milliseconds()), "ms/afterwards")
	b.ReportMetric(float64(git.Milliseconds()), "ms/git")
	b.ReportMetric(0, "ns/op")
}

func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
