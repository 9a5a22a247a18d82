package pack_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"boo/orchestrator"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
)

type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, initArgs ...string) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git("", append([]string{"init", "-q", "--bare"}, initArgs...)...)
	return r
}

func (r repo) git(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) packs() string { return filepath.Join(r.dir, "objects", "pack") }

// files lists what lies in the directory of packs.
func (r repo) files() []string {
	r.t.Helper()
	found, err := os.ReadDir(r.packs())
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

func commit(t testing.TB, w *pack.Writer) pack.Result {
	t.Helper()
	got, err := w.Commit()
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestGitSeesEveryObjectAtOnce(t *testing.T) {
	for name, format := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, "--object-format="+name)
			// A process that is running already has to see them too.
			running := openBatch(t, r)
			w := pack.New(r.packs(), pack.Options{Format: format})
			want := map[orchestrator.ObjectID][]byte{}
			for _, size := range []int{0, 1, 15, 16, 17, 2047, 2048, 2049, 70_000, pack.Buffered, pack.Buffered + 1, 5 << 20} {
				content := make([]byte, size)
				_, _ = rand.Read(content[:size/2])
				id, err := w.AddBlob(iotest.HalfReader(bytes.NewReader(content)), int64(size))
				if err != nil {
					t.Fatal(err)
				}
				want[id] = content
			}
			one, err := w.AddBlob(strings.NewReader("one\n"), 4)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := format.AppendRaw([]byte("100644 one\x00"), one)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := w.Add(objectid.Tree, raw)
			if err != nil {
				t.Fatal(err)
			}
			id, err := w.Add(objectid.Commit, fmt.Appendf(nil, "tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nm\n", tree))
			if err != nil {
				t.Fatal(err)
			}
			got := commit(t, w)
			if got.Objects != len(want)+3 {
				t.Errorf("%d objects, want %d", got.Objects, len(want)+3)
			}
			if line := running.ask(string(id)); !strings.HasPrefix(line, string(id)+" commit ") {
				t.Errorf("a running git answers %q", line)
			}
			r.git("", "verify-pack", filepath.Join(r.packs(), got.Name+".idx"))
			r.git("", "update-ref", "refs/heads/main", string(id))
			r.git("", "fsck", "--strict", "--full")
			if text := r.git("", "show", string(id)+":one"); text != "one" {
				t.Errorf("the file holds %q", text)
			}
			for id, content := range want {
				if there := r.git("", "cat-file", "blob", string(id)); there != strings.TrimSpace(string(content)) {
					t.Errorf("object %s differs", id)
				}
			}
			wantReadOnly(t, r, got)
		})
	}
}

func TestTextInWhichNothingRepeatsIsCompressed(t *testing.T) {
	noise := make([]byte, 50_000)
	_, _ = rand.Read(noise)
	for name, content := range map[string][]byte{"digests": fmt.Appendf(nil, "%x", noise), "noise": noise} {
		r := newRepo(t)
		w := pack.New(r.packs(), pack.Options{Format: objectid.SHA1})
		id, err := w.Add(objectid.Blob, content)
		if err != nil {
			t.Fatal(err)
		}
		if got := commit(t, w); got.Bytes > 55_000 {
			t.Errorf("%s of %d bytes take %d", name, len(content), got.Bytes)
		}
		r.git("", "fsck", "--strict", "--full")
		if there := r.git("", "cat-file", "-s", string(id)); there != fmt.Sprint(len(content)) {
			t.Errorf("%s has %s bytes", name, there)
		}
	}
}

func wantReadOnly(t *testing.T, r repo, got pack.Result) {
	t.Helper()
	if names := r.files(); !slices.Equal(names, []string{got.Name + ".idx", got.Name + ".pack"}) {
		t.Errorf("the directory holds %q", names)
	}
	var size int64
	for _, ext := range []string{".idx", ".pack"} {
		info, err := os.Stat(filepath.Join(r.packs(), got.Name+ext))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		if info.Mode() != 0o444 {
			t.Errorf("%s has mode %v", ext, info.Mode())
		}
	}
	if size != got.Bytes {
		t.Errorf("%d bytes are reported, %d are there", got.Bytes, size)
	}
}

// batch is a git process that answers about objects while packs come.
type batch struct {
	t   *testing.T
	in  io.Writer
	buf io.Reader
}

func openBatch(t *testing.T, r repo) batch {
	t.Helper()
	cmd := exec.Command("git", "cat-file", "--batch-check")
	cmd.Dir = r.dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	b := batch{t: t, in: in, buf: out}
	missing := strings.Repeat("1", 40)
	if line := b.ask(missing); !strings.HasSuffix(line, "missing") {
		t.Fatalf("git answers %q", line)
	}
	return b
}

func (b batch) ask(id string) string {
	b.t.Helper()
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		b.t.Fatal(err)
	}
	var line []byte
	for one := make([]byte, 1); len(line) == 0 || line[len(line)-1] != '\n'; line = append(line, one[0]) {
		if _, err := b.buf.Read(one); err != nil {
			b.t.Fatal(err)
		}
	}
	return strings.TrimSpace(string(line))
}

func TestNothingIsWrittenTwice(t *testing.T) {
	r := newRepo(t)
	old := orchestrator.ObjectID(r.git("old", "hash-object", "-w", "--stdin"))
	w := pack.New(r.packs(), pack.Options{Exists: func(id orchestrator.ObjectID) (bool, error) { return id == old, nil }})
	large := bytes.Repeat([]byte("large"), pack.Buffered)
	for range 3 {
		for _, content := range [][]byte{[]byte("old"), []byte("new"), large} {
			if _, err := w.AddBlob(bytes.NewReader(content), int64(len(content))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := commit(t, w); got.Objects != 2 {
		t.Errorf("%d objects, want the new one and the large one", got.Objects)
	}
	r.git("", "fsck", "--full")
}

func TestWithoutANewObjectThereIsNoPack(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{Exists: func(orchestrator.ObjectID) (bool, error) { return true, nil }})
	if _, err := w.Add(objectid.Blob, []byte("there")); err != nil {
		t.Fatal(err)
	}
	if got := commit(t, w); got != (pack.Result{}) {
		t.Errorf("got %v", got)
	}
	if names := r.files(); len(names) != 0 {
		t.Errorf("the directory holds %q", names)
	}
}

func TestThePacksOfTwoWritersAreTwoThoughTheyHoldTheSame(t *testing.T) {
	for name, format := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, "--object-format="+name)
			keep := func(path string) error { return os.WriteFile(path, nil, 0o600) }
			var results [2]pack.Result
			for i := range results {
				w := pack.New(r.packs(), pack.Options{Format: format, Keep: keep})
				if _, err := w.Add(objectid.Blob, []byte("same")); err != nil {
					t.Fatal(err)
				}
				results[i] = commit(t, w)
			}
			if results[0].Name == results[1].Name || results[0].Keep == results[1].Keep || len(r.files()) != 6 {
				t.Errorf("got %v, and files %q", results, r.files())
			}
			r.git("", "fsck", "--full")
			r.git("", "repack", "-a", "-d", "-q")
			r.git("", "fsck", "--full")
		})
	}
}

func TestManyGoroutinesFillOnePack(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 200 {
				// Every object is added by two workers.
				content := fmt.Sprintf("object %d of %d %s", i, worker/2, strings.Repeat("x", i*20))
				if _, err := w.AddBlob(strings.NewReader(content), int64(len(content))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := commit(t, w)
	if got.Objects != 800 {
		t.Errorf("%d objects, want 800", got.Objects)
	}
	r.git("", "verify-pack", filepath.Join(r.packs(), got.Name))
}

func TestABlobOfAnotherLengthIsLeftOut(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{})
	for _, size := range []int64{0, 10, pack.Buffered + 10, pack.Buffered, 3 * pack.Buffered} {
		for _, off := range []int64{-1, 1} {
			if size+off < 0 {
				continue
			}
			_, err := w.AddBlob(bytes.NewReader(make([]byte, size+off)), size)
			if !errors.Is(err, objectid.ErrLength) {
				t.Errorf("%d bytes for %d: got %v, want ErrLength", size+off, size, err)
			}
		}
	}
	if _, err := w.Add(objectid.Blob, []byte("good")); err != nil {
		t.Fatal(err)
	}
	if got := commit(t, w); got.Objects != 1 {
		t.Errorf("%d objects, want 1", got.Objects)
	}
	r.git("", "fsck", "--full")
}

func TestABlobThatCannotBeReadIsLeftOut(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{})
	for _, size := range []int64{10, 2 * pack.Buffered} {
		if _, err := w.AddBlob(iotest.ErrReader(os.ErrPermission), size); !errors.Is(err, os.ErrPermission) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := w.Add(objectid.Blob, []byte("good")); err != nil {
		t.Fatal(err)
	}
	if got := commit(t, w); got.Objects != 1 {
		t.Errorf("%d objects, want 1", got.Objects)
	}
}

func TestWhatIsNotCommittedLeavesNothing(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{})
	if _, err := w.AddBlob(bytes.NewReader(make([]byte, 3<<20)), 3<<20); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if names := r.files(); len(names) != 0 {
		t.Errorf("the directory holds %q", names)
	}
}

func TestAnErrorOfTheDiskSpoilsThePack(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := pack.New(filepath.Join(inTheWay, "pack"), pack.Options{})
	_, first := w.Add(objectid.Blob, []byte("x"))
	_, second := w.AddBlob(strings.NewReader("y"), 1)
	_, third := w.Commit()
	for _, err := range []error{first, second, third} {
		if err == nil {
			t.Error("an error was forgotten")
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestALookUpThatFailsSpoilsThePack(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{Exists: func(orchestrator.ObjectID) (bool, error) { return false, os.ErrClosed }})
	if _, err := w.Add(objectid.Blob, []byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := w.Commit(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestALargeBlobIsNotHeldInMemory(t *testing.T) {
	r := newRepo(t)
	w := pack.New(r.packs(), pack.Options{})
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := w.AddBlob(io.LimitReader(zeros{}, size), size); err != nil {
		t.Fatal(err)
	}
	got := commit(t, w)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("allocated %d bytes for a blob of %d", used, size)
	}
	r.git("", "verify-pack", filepath.Join(r.packs(), got.Name))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestOffsetsBeyondTwoGigabytesAreFoundByGit(t *testing.T) {
	offsets := []int64{12, 1<<31 - 1, 1 << 31, 5 << 32}
	ids := make([][]byte, len(offsets))
	for i := range ids {
		ids[i] = bytes.Repeat([]byte{byte(i * 80)}, 20)
	}
	r := newRepo(t)
	shown := r.git(string(pack.EncodeIndexAt(objectid.SHA1, ids, offsets)), "show-index")
	for i, line := range strings.Split(shown, "\n") {
		if want := fmt.Sprintf("%d %x (00000000)", offsets[i], ids[i]); line != want {
			t.Errorf("git shows %q, want %q", line, want)
		}
	}
}
