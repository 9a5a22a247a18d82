package worktree_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"

	"golang.org/x/sys/unix"
)

// sizes are the repositories, in files, that benchmarks build.
func sizes() []int {
	if os.Getenv("BOO_BENCH_LARGE") != "" {
		return []int{300, 1_000, 10_000, 90_000}
	}
	return []int{300, 1_000, 10_000}
}

// bench is a repository of n files of some 10 kB of text, packed and checked
// out a while ago.
type bench struct {
	*testing.B
	root, repo string
	engine     *worktree.Engine
	opts       worktree.Options
	made       int

	asideTime, asideWork time.Duration
}

func newBench(b *testing.B, n int) *bench {
	b.Helper()
	root, err := filepath.EvalSymlinks(b.TempDir())
	f := &bench{B: b, root: root, repo: filepath.Join(root, "repo")}
	f.must(err)
	f.must(os.Mkdir(f.repo, 0o755))
	f.must(os.Mkdir(filepath.Join(root, "home"), 0o755))
	f.opts = worktree.Options{
		Dir: filepath.Join(root, "data"), Environ: f.environ(), Fallback: func(why error) { b.Logf("left to git: %v", why) },
	}
	f.engine, err = worktree.New(f.opts)
	f.must(err)
	f.git(f.repo, "init", "-q", "-b", "main")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env = f.repo, f.environ()
	in, err := cmd.StdinPipe()
	f.must(err)
	f.must(cmd.Start())
	history(bufio.NewWriterSize(in, 1<<20), n)
	f.must(in.Close())
	f.must(cmd.Wait())
	f.git(f.repo, "reset", "-q", "--hard", "main")
	f.age(f.repo)
	f.git(f.repo, "status")
	return f
}

// history writes a commit for git-fast-import(1).
func history(w *bufio.Writer, n int) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", rng.Uint32()>>(8*rng.IntN(4)))
	}
	fmt.Fprint(w, "commit refs/heads/main\ncommitter a <a@example.org> 1 +0000\ndata 0\n")
	var text []byte
	for i := range n {
		text = text[:0]
		for size := rng.IntN(20_000); len(text) < size; {
			text = append(append(text, words[rng.IntN(len(words))]...), " \n"[rng.IntN(8)/7])
		}
		fmt.Fprintf(w, "M 100644 inline area%03d/part%04d/file%05d.c\ndata %d\n%s\n", i/640, i/16, i, len(text), text)
	}
	_ = w.Flush() // git notices what is missing
}

func (f *bench) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *bench) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(f.root, "home"), "GIT_CONFIG_NOSYSTEM=1", "USER=ada",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
}

func (f *bench) git(dir string, args ...string) {
	f.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, f.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// age puts the times of all files an hour back, so that none of them is racy.
func (f *bench) age(dir string) {
	old := time.Now().Add(-time.Hour)
	f.must(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
}

func (f *bench) worktree() orchestrator.Worktree {
	f.Helper()
	c, err := f.engine.Checkout(f.Context(), f.repo)
	f.must(err)
	chat := orchestrator.NewChatID()
	return orchestrator.Worktree{
		Chat: chat, CommonDir: c.CommonDir, Base: c.Head, Baseline: c.Head,
		Dir: orchestrator.WorktreeDir(filepath.Join(f.root, "worktrees", string(chat))),
	}
}

func (f *bench) create() orchestrator.Worktree {
	f.Helper()
	wt := f.worktree()
	f.must(f.engine.Create(f.Context(), wt))
	return wt
}

// settled returns when the disk has what was written before, so that no job
// waits for the writes of another.
func (f *bench) settled() {
	dir, err := os.Open(f.root)
	f.must(err)
	defer dir.Close()
	f.must(unix.Syncfs(int(dir.Fd())))
}

// contestAfter measures jobs in turn, in an order that varies, each after a
// preparation that is not measured. It reports their medians in milliseconds and
// their ratio to the one called "git", by the clock and by the processor's time,
// which other work on the machine changes less.
func (f *bench) contestAfter(prepare func(), jobs map[string]func()) {
	times, work := map[string][]float64{}, map[string][]float64{}
	for f.Loop() {
		for name, job := range jobs {
			prepare()
			f.asideTime, f.asideWork = 0, 0
			took, used := spent(job)
			times[name] = append(times[name], (took-f.asideTime).Seconds()*1000)
			work[name] = append(work[name], (used - f.asideWork).Seconds())
		}
	}
	f.ReportMetric(0, "ns/op") // the sum of all says nothing
	for name := range jobs {
		f.ReportMetric(median(times[name]), name+"-ms")
		if name != "git" {
			f.ReportMetric(median(times[name])/median(times["git"]), name+"-ratio")
			f.ReportMetric(median(work[name])/median(work["git"]), name+"-cpu-ratio")
		}
	}
}

// aside does what is not measured in the middle of a job.
func (f *bench) aside(do func()) {
	took, used := spent(do)
	f.asideTime += took
	f.asideWork += used
}

// spent tells the time that something takes, and the processor's.
func spent(do func()) (took, used time.Duration) {
	start, before := time.Now(), processorTime()
	do()
	return time.Since(start), processorTime() - before
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// processorTime is what this process and the children that it has waited for
// have used.
func processorTime() (used time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			used += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return used
}

// BenchmarkCreate makes worktrees by "git worktree add" and by the engine,
// with the person's checkout to copy from, with another chat's worktree only,
// and with the packed objects only. Nothing is removed in between: some file
// systems are ten times slower at creating files just after others were deleted.
func BenchmarkCreate(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			f := newBench(b, n)
			index, aside := filepath.Join(f.repo, ".git/index"), filepath.Join(f.root, "index")
			f.create() // so that there is another chat
			f.contestAfter(f.settled, map[string]func(){
				"git": func() {
					f.made++
					f.git(f.repo, "worktree", "add", "-q", "--detach", filepath.Join(f.root, "plain", fmt.Sprint(f.made)))
				},
				"template": func() { f.create() },
				"sibling": func() {
					f.must(os.Rename(index, aside))
					f.create()
					f.must(os.Rename(aside, index))
				},
				"objects": func() {
					f.must(os.Rename(index, aside))
					f.made++
					opts, known := f.opts, f.engine
					opts.Dir = filepath.Join(f.root, "others", fmt.Sprint(f.made)) // which knows of no other chat
					var err error
					f.engine, err = worktree.New(opts)
					f.must(err)
					f.create()
					f.engine = known
					f.must(os.Rename(aside, index))
				},
			})
		})
	}
}

// BenchmarkFirstStatus compares the first "git status" in a worktree that was
// just created with a later one.
func BenchmarkFirstStatus(b *testing.B) { firstStatus(b, (*bench).create) }

func firstStatus(b *testing.B, create func(*bench) orchestrator.Worktree) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			f := newBench(b, n)
			var first, later []float64
			for b.Loop() {
				dir := string(create(f).Dir)
				for _, list := range []*[]float64{&first, &later} {
					start := time.Now()
					f.git(dir, "status", "--porcelain")
					*list = append(*list, time.Since(start).Seconds())
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(first)/median(later), "ratio")
		})
	}
}
