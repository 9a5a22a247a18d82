package populate_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/populate"
)

type repo struct {
	t      testing.TB
	dir    string
	format objectid.Format
}

func newRepo(t testing.TB, initArgs ...string) repo {
	t.Helper()
	r := repo{t: t, dir: filepath.Join(t.TempDir(), "repo")}
	r.must(os.Mkdir(r.dir, 0o755))
	r.git(append([]string{"init", "-q"}, initArgs...)...)
	r.git("config", "core.checkStat", "default")
	return r
}

func (r repo) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) git(args ...string) string { r.t.Helper(); return r.in(r.dir, args...) }

func (r repo) in(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (r repo) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	r.must(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)))
}

func (r repo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "all")
}

func (r repo) rev(name string) orchestrator.ObjectID {
	r.t.Helper()
	return orchestrator.ObjectID(strings.TrimSpace(r.git("rev-parse", name)))
}

// linked makes a worktree without files, and returns it and its index file.
func (r repo) linked() (dir, index string) {
	r.t.Helper()
	dir = filepath.Join(r.t.TempDir(), "wt")
	r.git("worktree", "add", "-q", "--detach", "--no-checkout", dir)
	return dir, strings.TrimSpace(r.in(dir, "rev-parse", "--git-path", "index"))
}

// template is the repository's own work tree.
func (r repo) template() *populate.Template {
	r.t.Helper()
	index, err := dircache.Read(filepath.Join(r.dir, ".git/index"), r.format)
	r.must(err)
	return &populate.Template{Dir: r.dir, Index: index}
}

// objects reads by two git processes, as the real reader does.
type objects struct {
	free chan *process
	all  []*process
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (r repo) objects() *objects {
	r.t.Helper()
	o := &objects{free: make(chan *process, 2)}
	for range 2 {
		cmd := exec.Command("git", "cat-file", "--batch")
		cmd.Dir = r.dir
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		r.must(errors.Join(err1, err2, cmd.Start()))
		p := &process{cmd, in, bufio.NewReaderSize(out, 64<<10)}
		o.free <- p
		o.all = append(o.all, p)
	}
	r.t.Cleanup(o.close)
	return o
}

func (o *objects) close() {
	for _, p := range o.all {
		_ = p.in.Close()
		_ = p.cmd.Wait()
	}
	o.all = nil
}

func (o *objects) Tree(ctx context.Context, id orchestrator.ObjectID) ([]byte, error) {
	var buf bytes.Buffer
	err := o.Blob(ctx, id, &buf)
	return buf.Bytes(), err
}

func (o *objects) Blob(_ context.Context, id orchestrator.ObjectID, w io.Writer) error {
	p := <-o.free
	defer func() { o.free <- p }()
	if _, err := fmt.Fprintln(p.in, id); err != nil {
		return err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return fmt.Errorf("git answers %q", line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return err
	}
	_, werr := io.CopyN(w, p.out, size)
	_, err = p.out.Discard(1)
	return errors.Join(werr, err)
}

// counting counts the blobs that are asked for.
type counting struct {
	populate.Objects
	mu    sync.Mutex
	blobs []orchestrator.ObjectID
}

func (c *counting) Blob(ctx context.Context, id orchestrator.ObjectID, w io.Writer) error {
	c.mu.Lock()
	c.blobs = append(c.blobs, id)
	c.mu.Unlock()
	return c.Objects.Blob(ctx, id, w)
}
