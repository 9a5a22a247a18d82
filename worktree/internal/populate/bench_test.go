package populate_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"boo/worktree/internal/populate"
)

var large = flag.Bool("large", false, "benchmark a repository of 90,000 files, too")

// generated is a packed repository of n files of some 10 kB of text, checked
// out an hour ago.
func generated(b *testing.B, n int) repo {
	b.Helper()
	r := newRepo(b)
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir = r.dir
	in, err := cmd.StdinPipe()
	r.must(err)
	r.must(cmd.Start())
	script(bufio.NewWriterSize(in, 1<<20), n)
	r.must(in.Close())
	r.must(cmd.Wait())
	r.git("reset", "-q", "--hard", "main")
	r.age()
	return r
}

func script(w *bufio.Writer, n int) {
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

// BenchmarkCreate makes worktrees in turn by "git worktree add", from a
// template, and from the object store alone, and prints the medians and their
// ratio to git's.
func BenchmarkCreate(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if *large {
		sizes = append(sizes, 90_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			r := generated(b, n)
			source := r.objects()
			ways := map[string]func(dir string){
				"git":      func(dir string) { r.git("worktree", "add", "-q", "--detach", dir) },
				"template": func(dir string) { r.create(dir, source, r.template()) },
				"objects":  func(dir string) { r.create(dir, source) },
			}
			times := map[string][]time.Duration{}
			// Nothing is removed in between: some file systems are ten times
			// slower at creating files just after others were deleted.
			for i := 0; b.Loop(); i++ {
				for name, create := range ways { // in an order that varies
					start := time.Now()
					create(filepath.Join(r.dir+"-worktrees", fmt.Sprint(name, i)))
					times[name] = append(times[name], time.Since(start))
				}
			}
			report(b, times)
		})
	}
}

func (r repo) create(dir string, source populate.Objects, templates ...*populate.Template) {
	r.t.Helper()
	r.git("worktree", "add", "-q", "--detach", "--no-checkout", dir)
	got, err := populate.Run(r.t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: source, Templates: templates})
	r.must(err)
	r.must(got.Index.WriteFile(filepath.Join(r.dir, ".git/worktrees", filepath.Base(dir), "index")))
}

func report(b *testing.B, times map[string][]time.Duration) {
	median := func(name string) float64 {
		slices.Sort(times[name])
		return times[name][len(times[name])/2].Seconds() * 1000
	}
	b.ReportMetric(0, "ns/op") // the sum of three says nothing
	b.ReportMetric(median("git"), "git-ms")
	for _, name := range []string{"template", "objects"} {
		b.ReportMetric(median(name), name+"-ms")
		b.ReportMetric(median(name)/median("git"), name+"/git")
	}
}

// BenchmarkStatus compares the first and a
// later "git status" in a worktree made from a template.
func BenchmarkStatus(b *testing.B) {
	r := generated(b, 10_000)
	dir := filepath.Join(r.dir+"-status", "wt")
	r.create(dir, r.objects(), r.template())
	var first, later []time.Duration
	index := filepath.Join(r.dir, ".git/worktrees/wt/index")
	fresh, err := os.ReadFile(index)
	r.must(err)
	info, err := os.Stat(index)
	r.must(err)
	for b.Loop() {
		r.must(os.WriteFile(index, fresh, 0o644))
		r.must(os.Chtimes(index, info.ModTime(), info.ModTime()))
		for _, list := range []*[]time.Duration{&first, &later} {
			start := time.Now()
			if out := r.in(dir, "status", "--porcelain"); out != "" {
				b.Fatal(out)
			}
			*list = append(*list, time.Since(start))
		}
	}
	slices.Sort(first)
	slices.Sort(later)
	b.ReportMetric(first[len(first)/2].Seconds()/later[len(later)/2].Seconds(), "first/later")
}
