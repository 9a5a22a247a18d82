package objects_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/objects"
	"boo/worktree/internal/pack/objectid"

	"golang.org/x/sys/unix"
)

var errGit = errors.New("git was asked")

// alone is a reader that has no git to ask.
func (r repo) alone(format objectid.Format) *objects.Reader {
	r.t.Helper()
	reader := objects.Open(objects.Options{
		CommonDir: orchestrator.GitDir(filepath.Join(r.dir, ".git")), Format: format,
		Start: func(context.Context) (objects.Process, error) { return nil, errGit },
	})
	r.t.Cleanup(func() { _ = reader.Close() })
	return reader
}

// versions makes blobs that pack into chains of deltas.
func versions(r repo) {
	lines := make([]string, 300)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of a text that changes: %x", i, i*i*i*7919)
	}
	for i := range 40 {
		lines[i*7] = fmt.Sprint("changed in version ", i)
		r.write(fmt.Sprint("text", i), strings.Join(lines, "\n"))
	}
	r.write("random", strings.Repeat(string([]byte{0, 1, 254, 13, 10}), 10_000))
	r.write("empty", "")
	r.commit("f", "x")
}

// Blobs come from whatever git keeps them in, with no git.
func TestBlobsAreReadWithoutGit(t *testing.T) {
	for name, c := range map[string]struct {
		init  []string
		setup func(r repo) repo
	}{
		"loose":         {nil, func(r repo) repo { return r }},
		"offset deltas": {nil, func(r repo) repo { r.git("repack", "-q", "-a", "-d", "-f"); return r }},
		"id deltas": {nil, func(r repo) repo {
			r.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f")
			return r
		}},
		"stored as is": {nil, func(r repo) repo { r.git("-c", "core.compression=0", "repack", "-q", "-a", "-d", "-F"); return r }},
		"long offsets": {nil, func(r repo) repo {
			r.git("-c", "pack.indexVersion=2", "repack", "-q", "-a", "-d")
			r.reindex()
			return r
		}},
		"several packs": {nil, func(r repo) repo {
			r.git("repack", "-q", "-d")
			r.commit("g", "later")
			r.git("repack", "-q", "-d")
			return r
		}},
		"sha256": {[]string{"--object-format=sha256"}, func(r repo) repo { r.git("gc", "-q"); return r }},
		"two alternates": {nil, func(r repo) repo {
			r.git("gc", "-q")
			second := repo{r.t, filepath.Join(r.t.TempDir(), "second")}
			r.git("clone", "-q", "--shared", ".", second.dir)
			second.commit("own", "x")
			third := repo{r.t, filepath.Join(r.t.TempDir(), "third")}
			second.git("clone", "-q", "--shared", ".", third.dir)
			return third
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, c.init...)
			versions(r)
			r = c.setup(r)
			format, err := objectid.FormatOf(r.rev("HEAD"))
			if err != nil {
				t.Fatal(err)
			}
			reader := r.alone(format)
			blobs := 0
			for line := range strings.Lines(r.git("cat-file", "--batch-all-objects", "--batch-check")) {
				id, kind, _ := strings.Cut(line, " ")
				if !strings.HasPrefix(kind, "blob") {
					continue
				}
				blobs++
				got, err := read(t.Context(), reader, orchestrator.ObjectID(id), "blob")
				if err != nil || format.Of(objectid.Blob, []byte(got)) != orchestrator.ObjectID(id) {
					t.Errorf("%s: %d bytes, %v", strings.TrimSpace(line), len(got), err)
				}
			}
			if blobs < 43 {
				t.Errorf("only %d blobs", blobs)
			}
		})
	}
}

// reindex makes the index keep all offsets in its table for large packs.
func (r repo) reindex() {
	r.t.Helper()
	packs, err := filepath.Glob(filepath.Join(r.dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		r.t.Fatal(packs, err)
	}
	index := strings.TrimSuffix(packs[0], "pack") + "idx"
	if err := os.Remove(index); err != nil {
		r.t.Fatal(err)
	}
	r.git("index-pack", "--index-version=2,0x10", packs[0])
}

// What the process does not read itself is for git: a blob that is too large,
// one that is not there, an object of another kind, a name that is no file.
func TestWhatIsNotReadInProcessIsForGit(t *testing.T) {
	r := newRepo(t)
	r.commit("large", strings.Repeat("0123456789abcdef", 300_000))
	r.commit("f", "x")
	large, tree, pipe := r.rev("HEAD:large"), r.rev("HEAD^{tree}"), r.rev("HEAD:f")
	file := filepath.Join(r.dir, ".git/objects", string(pipe[:2]), string(pipe[2:]))
	if err := errors.Join(os.Remove(file), unix.Mkfifo(file, 0o600)); err != nil {
		t.Fatal(err)
	}
	reader := r.alone(objectid.SHA1)
	for _, id := range []orchestrator.ObjectID{large, tree, pipe, orchestrator.ObjectID(strings.Repeat("1", 40))} {
		if got, err := read(t.Context(), reader, id, "blob"); !errors.Is(err, errGit) || got != "" {
			t.Errorf("%s: %d bytes, %v", id, len(got), err)
		}
	}
}
