package objects_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/objects"
	"boo/worktree/internal/pack/objectid"
)

type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, initArgs ...string) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q"}, initArgs...)...)
	return r
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (r repo) rev(name string) orchestrator.ObjectID {
	r.t.Helper()
	return orchestrator.ObjectID(strings.TrimSpace(r.git("rev-parse", name)))
}

func (r repo) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) commit(name, content string) orchestrator.ObjectID {
	r.t.Helper()
	r.write(name, content)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "change "+name)
	return r.rev("HEAD")
}

// helper is a git process as the reader wants it; pids tells which ones run.
type helper struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (h helper) Ask(request []byte) (string, error) {
	if _, err := h.in.Write(request); err != nil {
		return "", err
	}
	line, err := h.out.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (h helper) Read(p []byte) (int, error) { return h.out.Read(p) }

func (h helper) Close() error {
	_ = h.in.Close()
	_, _ = io.Copy(io.Discard, h.out)
	return h.cmd.Wait()
}

// starter starts helpers and remembers the newest.
type starter struct {
	repo    repo
	started atomic.Int32
	newest  atomic.Pointer[os.Process]
}

func (s *starter) start(ctx context.Context) (objects.Process, error) {
	cmd := exec.CommandContext(ctx, "git", "cat-file", "--batch-command")
	cmd.Dir = s.repo.dir
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, err
	}
	s.started.Add(1)
	s.newest.Store(cmd.Process)
	return helper{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (r repo) open(format objectid.Format) (*objects.Reader, *starter) {
	r.t.Helper()
	s := &starter{repo: r}
	reader := objects.Open(objects.Options{CommonDir: orchestrator.GitDir(filepath.Join(r.dir, ".git")), Format: format, Start: s.start})
	r.t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return reader, s
}
