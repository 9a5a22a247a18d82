package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Git runs commands. All methods may be called concurrently.
type Git struct {
	bin     string
	person  []string
	environ []string // all of the person's, for the network only

	mu      sync.Mutex // guards version
	version string     // "" while it was not asked for
}

// New returns a Git that runs the binary bin, an absolute path or a name to be
// found on PATH. environ is the person's environment, of which only what git
// needs to find their configuration and name is passed on; but for the network,
// where credentials can be anywhere in it.
func New(bin string, environ []string) *Git {
	return &Git{bin: bin, person: personal(environ), environ: environ}
}

// Call is one command. The zero value of each field is the safe one.
type Call struct {
	Args []string

	GitDir   string // --git-dir; "" only where Discover is set
	WorkTree string // --work-tree; "" for commands that need none
	Index    string // GIT_INDEX_FILE
	Objects  string // GIT_OBJECT_DIRECTORY, when not GitDir's own
	Borrowed string // GIT_ALTERNATE_OBJECT_DIRECTORIES: one, that is only read

	// AtTop has the command stand at the top of the work tree, if it is there. A
	// git that writes an index tells files that were edited in the very second in
	// which they were indexed by their content, but "update-index --index-info" and
	// "read-tree" look for them from where they stand (ce_smudge_racily_clean_entry
	// in git's read-cache.c), and hide the edit from then on where they find none.
	// They would run the filters that GitDir's configuration has.
	AtTop bool
	// Discover lets git look for the repository from this directory upwards.
	Discover string
	// Personal lets the command read the person's and the system's
	// configuration. What those could run stays off.
	Personal bool
	// Magic leaves pathspec magic on, for a command that refuses to go without;
	// paths given to it begin with "./".
	Magic bool
	// Network lets the command speak with remotes, as the person: their
	// configuration, transports and credential helpers are used, and nobody is
	// ever asked anything. Environ, if not nil, is their environment instead of
	// the one given to New. Only for commands in the person's own repository.
	Network bool
	Environ []string
	// Idle lets everything else on the machine go first.
	Idle bool
	// Refresh lets the command write a refreshed index back.
	Refresh bool

	// Held stays open in the command for as long as it runs, whatever becomes of
	// boo: a lock on the file is held until then.
	Held *os.File

	Env    []string // more of it, such as author and committer
	Stdin  io.Reader
	Stdout io.Writer // nil: the output is returned
}

// Output is what a command wrote.
type Output struct {
	Stdout []byte
	Stderr []byte
}

// Run runs a command to its end. The output is returned with the error too.
func (g *Git) Run(ctx context.Context, c Call) (Output, error) {
	c, err := g.withoutHooks(ctx, c)
	if err != nil {
		return Output{}, err
	}
	return g.run(ctx, c)
}

func (g *Git) run(ctx context.Context, c Call) (Output, error) {
	cmd := g.command(ctx, c)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, &stdout, &head{buf: &stderr}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	err := cmd.Start()
	if err == nil {
		if c.Idle {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, cmd.Process.Pid, 19) // else it runs like any other
		}
		free := unblock(c)
		err = cmd.Wait()
		free()
	}
	out := Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	if err != nil {
		return out, newError(ctx, c, err, stderr.String())
	}
	return out, nil
}

func (g *Git) command(ctx context.Context, c Call) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.bin, c.argv()...)
	cmd.Env = g.environment(c)
	// Inside of the work tree git would read every path relative to where it
	// stands; and boo's own directory may well lie in there, where somebody
	// keeps their home in git.
	cmd.Dir = "/"
	switch {
	case c.Discover != "":
		cmd.Dir = c.Discover
	case c.AtTop:
		if info, err := os.Stat(c.WorkTree); err == nil && info.IsDir() {
			cmd.Dir = c.WorkTree
		}
	}
	// A group of its own: an interrupt typed at the terminal is boo's to
	// handle, and must not cut a snapshot off half-way.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if c.Network {
		// Without a terminal ssh cannot ask at it. Transports are ended with git.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
		cmd.Dir = home(c.GitDir)
	}
	cmd.WaitDelay = 5 * time.Second
	if c.Held != nil {
		cmd.ExtraFiles = []*os.File{c.Held}
	}
	return cmd
}

// home is the directory that relative addresses of a repository's remotes are
// meant from.
func home(gitDir string) string {
	if filepath.Base(gitDir) == ".git" {
		return filepath.Dir(gitDir)
	}
	return gitDir
}

// stderrLimit bounds what is kept of a command's standard error. Git writes a
// line per path there; the commands that read those lines back are given far
// fewer paths than would fill it.
const stderrLimit = 16 << 20

// head drops what comes after the limit.
type head struct{ buf *bytes.Buffer }

func (t *head) Write(p []byte) (int, error) {
	if room := stderrLimit - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// ErrNoGit is in the chain of the error of a command whose binary is not there.
var ErrNoGit = errors.New("git is not installed")
