package pack_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boo/worktree/internal/pack"
)

// sources returns real text to compress: n files of Go's own library.
func sources(b *testing.B, n int) [][]byte {
	b.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output() // a program that is built with -trimpath does not know it
	if err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(goroot)), "src", "*", "*.go"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no sources: %v", err)
	}
	contents := make([][]byte, n)
	for i := range contents {
		content, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			b.Fatal(err)
		}
		contents[i] = fmt.Appendf(content, "// copy %d\n", i)
	}
	return contents
}

// One pack of 1, 10 and 1,000 source files by two goroutines, and git's
// hash-object -w for the same contents.
func BenchmarkPack(b *testing.B) {
	for _, n := range []int{1, 10, 1000} {
		contents := sources(b, n)
		b.Run(fmt.Sprintf("files=%d/boo", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := newRepo(b)
				b.StartTimer()
				packAll(b, r, contents)
			}
		})
		b.Run(fmt.Sprintf("files=%d/git", n), func(b *testing.B) {
			dir := b.TempDir()
			var list strings.Builder
			for i, content := range contents {
				name := filepath.Join(dir, fmt.Sprint(i))
				if err := os.WriteFile(name, content, 0o600); err != nil {
					b.Fatal(err)
				}
				list.WriteString(name + "\n")
			}
			for b.Loop() {
				b.StopTimer()
				r := newRepo(b)
				b.StartTimer()
				cmd := exec.Command("git", "-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch", "hash-object", "-w", "--stdin-paths")
				cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(list.String())
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func packAll(b *testing.B, r repo, contents [][]byte) {
	w := pack.New(r.packs(), pack.Options{})
	work := make(chan []byte)
	var wg sync.WaitGroup
	for range min(2, len(contents)) {
		wg.Go(func() {
			for content := range work {
				if _, err := w.AddBlob(bytes.NewReader(content), int64(len(content))); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, content := range contents {
		work <- content
	}
	close(work)
	wg.Wait()
	commit(b, w)
}
