package objects_test

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// librarySources is a packed repository of Go's own library.
func librarySources(b *testing.B) (r repo, trees, blobs []orchestrator.ObjectID) {
	b.Helper()
	r = newRepo(b)
	goroot, err := exec.Command("go", "env", "GOROOT").Output() // a program that is built with -trimpath does not know it
	if err != nil {
		b.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	if out, err := exec.Command("cp", "-r", filepath.Join(src, "net"), filepath.Join(src, "go"), r.dir).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "all")
	r.git("gc", "-q")
	for line := range strings.Lines(r.git("ls-tree", "-r", "-t", "HEAD")) {
		fields := strings.Fields(line)
		if fields[1] == "tree" {
			trees = append(trees, orchestrator.ObjectID(fields[2]))
		} else {
			blobs = append(blobs, orchestrator.ObjectID(fields[2]))
		}
	}
	return r, trees, blobs
}

// A tree and a blob by the reader, and by a git process of its own.
func BenchmarkRead(b *testing.B) {
	r, trees, blobs := librarySources(b)
	reader, _ := r.open(objectid.SHA1)
	b.Run("tree/boo", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := reader.Tree(b.Context(), trees[i%len(trees)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("blob/boo", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := reader.Blob(b.Context(), blobs[i%len(blobs)], io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	for kind, ids := range map[string][]orchestrator.ObjectID{"tree": trees, "blob": blobs} {
		b.Run(kind+"/git", func(b *testing.B) {
			process, err := (&starter{repo: r}).start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			h := process.(helper)
			for i := 0; b.Loop(); i++ {
				line, err := h.Ask([]byte("contents " + string(ids[i%len(ids)]) + "\n"))
				if err != nil {
					b.Fatal(err)
				}
				discard(b, h.out, line)
			}
			if err := h.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func discard(b *testing.B, out *bufio.Reader, header string) {
	size := 0
	for _, c := range strings.Fields(header)[2] {
		size = size*10 + int(c-'0')
	}
	if _, err := out.Discard(size + 1); err != nil {
		b.Fatal(err)
	}
}
