package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/objects"
	"boo/worktree/internal/pack/objectid"
)

func read(ctx context.Context, reader *objects.Reader, id orchestrator.ObjectID, kind string) (string, error) {
	switch kind {
	case "tree":
		content, err := reader.Tree(ctx, id)
		return string(content), err
	case "blob":
		var buf bytes.Buffer
		err := reader.Blob(ctx, id, &buf)
		return buf.String(), err
	}
	c, err := reader.Commit(ctx, id)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("tree %s\n", c.Tree)
	for _, p := range c.Parents {
		text += fmt.Sprintf("parent %s\n", p)
	}
	return text, nil
}

// history makes objects of every kind; commits are compared by their header.
func history(t *testing.T, r repo) {
	t.Helper()
	big := strings.Repeat("some line of text\n", 20_000)
	for i := range 4 {
		r.commit("dir/sub/f", fmt.Sprint(big, i))
		r.commit("g", fmt.Sprint(i))
	}
	r.commit("empty", "")
}

func TestEveryObjectReadsAsGitReadsIt(t *testing.T) {
	for name, setup := range map[string]func(t *testing.T) repo{
		"loose":  func(t *testing.T) repo { r := newRepo(t); history(t, r); return r },
		"packed": func(t *testing.T) repo { r := newRepo(t); history(t, r); r.git("gc", "-q"); return r },
		"sha256": func(t *testing.T) repo {
			r := newRepo(t, "--object-format=sha256")
			history(t, r)
			r.git("gc", "-q")
			return r
		},
		"alternates": func(t *testing.T) repo {
			source := newRepo(t)
			history(t, source)
			r := repo{t, filepath.Join(t.TempDir(), "clone")}
			source.git("clone", "-q", "--shared", ".", r.dir)
			r.commit("own", "x")
			return r
		},
		"worktreeConfig": func(t *testing.T) repo {
			r := newRepo(t)
			history(t, r)
			r.git("sparse-checkout", "set", "dir")
			return r
		},
		"commit-graph and midx": func(t *testing.T) repo {
			r := newRepo(t)
			history(t, r)
			r.git("gc", "-q")
			r.commit("more", "x")
			r.git("repack", "-q", "-d")
			r.git("multi-pack-index", "write")
			r.git("commit-graph", "write", "--reachable")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := setup(t)
			format, err := objectid.FormatOf(r.rev("HEAD"))
			if err != nil {
				t.Fatal(err)
			}
			reader, _ := r.open(format)
			for line := range strings.Lines(r.git("cat-file", "--batch-all-objects", "--batch-check")) {
				fields := strings.Fields(line)
				want := r.git("cat-file", fields[1], fields[0])
				got, err := read(t.Context(), reader, orchestrator.ObjectID(fields[0]), fields[1])
				if same := got == want || fields[1] == "commit" && strings.HasPrefix(want, got+"author "); err != nil || !same {
					t.Errorf("%s: %v, %d bytes, want %d", strings.TrimSpace(line), err, len(got), len(want))
				}
				wantInfo(t, reader, orchestrator.ObjectID(fields[0]), fields[1], int64(len(want)))
			}
		})
	}
}

func wantInfo(t *testing.T, reader *objects.Reader, id orchestrator.ObjectID, kind string, size int64) {
	t.Helper()
	k, n, err := reader.Info(t.Context(), id)
	if err != nil || k.String() != kind || n != size {
		t.Errorf("info of %s: %s of %d bytes, %v", id, k, n, err)
	}
	if has, err := reader.Has(t.Context(), id); !has || err != nil {
		t.Errorf("has %s: %v, %v", id, has, err)
	}
}

func TestObjectsThatComeLaterOrArePackedAnewAreFound(t *testing.T) {
	r := newRepo(t)
	history(t, r)
	r.git("gc", "-q")
	reader, _ := r.open(objectid.SHA1)
	first := r.rev("HEAD^{tree}")
	if _, err := reader.Tree(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	later := r.commit("later", "x")
	if _, err := reader.Commit(t.Context(), later); err != nil {
		t.Errorf("a new loose commit: %v", err)
	}
	last := r.commit("later", "y")
	r.git("gc", "-q", "--prune=now")
	for _, id := range []orchestrator.ObjectID{later, last} {
		if _, err := reader.Commit(t.Context(), id); err != nil {
			t.Errorf("after gc: %v", err)
		}
	}
	if _, err := reader.Tree(t.Context(), first); err != nil {
		t.Errorf("an old tree after gc: %v", err)
	}
	if got, err := reader.Bytes(t.Context(), r.rev("HEAD:later"), 10); string(got) != "y" || err != nil {
		t.Errorf("blob %q, %v", got, err)
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	r := newRepo(t)
	head := r.commit("f", "x")
	reader, _ := r.open(objectid.SHA1)
	none := orchestrator.ObjectID(strings.Repeat("1", 40))
	_, err1 := reader.Tree(t.Context(), none)
	_, err2 := reader.Commit(t.Context(), none)
	err3 := reader.Blob(t.Context(), none, io.Discard)
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, objects.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	}
	if has, err := reader.Has(t.Context(), none); has || err != nil {
		t.Errorf("has: %v, %v", has, err)
	}
	if _, err := reader.Tree(t.Context(), head); !errors.Is(err, objects.ErrKind) {
		t.Errorf("a commit read as a tree: %v", err)
	}
	if err := reader.Blob(t.Context(), r.rev("HEAD^{tree}"), io.Discard); !errors.Is(err, objects.ErrKind) {
		t.Errorf("a tree read as a blob: %v", err)
	}
	if _, err := reader.Tree(t.Context(), "HEAD\ninfo x"); err == nil || errors.Is(err, objects.ErrNotFound) {
		t.Errorf("what is no id: %v", err)
	}
	if _, err := reader.Bytes(t.Context(), r.rev("HEAD:f"), 0); !errors.Is(err, objects.ErrTooLarge) {
		t.Errorf("a blob over the limit: %v", err)
	}
	if got, err := reader.Bytes(t.Context(), r.rev("HEAD:f"), 1); string(got) != "x" || err != nil {
		t.Errorf("the next request: %q, %v", got, err)
	}
}

func TestAHelperThatDiesIsReplaced(t *testing.T) {
	r := newRepo(t)
	r.commit("f", "x")
	s := &starter{repo: r}
	reader := objects.Open(objects.Options{CommonDir: orchestrator.GitDir(filepath.Join(r.dir, ".git")), Start: s.start, Helpers: 1})
	defer reader.Close()
	blob := r.rev("HEAD:f")
	for i := range int32(3) {
		if got, err := reader.Bytes(t.Context(), blob, 10); string(got) != "x" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if n := s.started.Load(); n != i+1 {
			t.Errorf("%d processes were started, want %d", n, i+1)
		}
		if err := s.newest.Load().Kill(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReaderThatGivesUpDoesNotDisturbTheNext(t *testing.T) {
	r := newRepo(t)
	r.commit("large", strings.Repeat("0123456789", 3<<20))
	r.commit("small", "x")
	reader, _ := r.open(objectid.SHA1)
	large, small := r.rev("HEAD:large"), r.rev("HEAD:small")
	refusal := errors.New("no")
	for range 3 {
		if err := reader.Blob(t.Context(), large, failing{refusal}); !errors.Is(err, refusal) {
			t.Errorf("got %v, want what the writer said", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := reader.Blob(ctx, large, cancelling(cancel)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the cancellation", err)
		}
		if got, err := reader.Bytes(t.Context(), small, 10); string(got) != "x" || err != nil {
			t.Errorf("the next request: %q, %v", got, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type cancelling context.CancelFunc

func (c cancelling) Write(p []byte) (int, error) { c(); return len(p), nil }

func TestAHelperThatCannotBeStartedIsAnError(t *testing.T) {
	refusal := errors.New("no git")
	reader := objects.Open(objects.Options{CommonDir: "/nowhere", Start: func(context.Context) (objects.Process, error) { return nil, refusal }})
	defer reader.Close()
	if _, err := reader.Tree(t.Context(), objectid.SHA1.EmptyTree()); !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
}

func TestManyGoroutinesRead(t *testing.T) {
	r := newRepo(t)
	history(t, r)
	r.git("gc", "-q")
	reader, s := r.open(objectid.SHA1)
	tree, blob := r.rev("HEAD^{tree}"), r.rev("HEAD:dir/sub/f")
	want := r.git("cat-file", "blob", string(blob))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				var buf bytes.Buffer
				_, err1 := reader.Tree(t.Context(), tree)
				err2 := reader.Blob(t.Context(), blob, &buf)
				if err := errors.Join(err1, err2); err != nil || buf.String() != want {
					t.Errorf("%v, %d bytes", err, buf.Len())
				}
			}
		})
	}
	wg.Wait()
	if n := s.started.Load(); n > 2 {
		t.Errorf("%d processes were started", n)
	}
}

// Whatever stands in the object store, a reader answers or says why not.
func TestASpoiledStoreIsNoPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	r := newRepo(t)
	history(t, r)
	r.git("gc", "-q")
	tree, head, blob := r.rev("HEAD^{tree}"), r.rev("HEAD"), r.rev("HEAD~4:dir/sub/f")
	packs, err := filepath.Glob(filepath.Join(r.dir, ".git/objects/pack/*"))
	if err != nil || len(packs) < 2 {
		t.Fatal(packs, err)
	}
	for _, file := range packs {
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 15 {
			bad := bytes.Clone(good)
			for range 1 + rng.IntN(40) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, bad[:len(bad)-rng.IntN(2)*rng.IntN(len(bad))], 0o600)); err != nil {
				t.Fatal(err)
			}
			s := &starter{repo: r}
			reader := objects.Open(objects.Options{CommonDir: orchestrator.GitDir(filepath.Join(r.dir, ".git")), Start: s.start})
			_, _ = reader.Tree(t.Context(), tree)
			_, _ = reader.Commit(t.Context(), head)
			_, _ = read(t.Context(), reader, blob, "blob")
			if err := reader.Close(); err != nil {
				t.Logf("close: %v", err)
			}
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := read(t.Context(), mustOpen(r), tree, "tree"); err != nil {
		t.Error(err)
	}
}

func mustOpen(r repo) *objects.Reader {
	reader, _ := r.open(objectid.SHA1)
	return reader
}
