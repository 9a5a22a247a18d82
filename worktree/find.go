package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// between separates the answers of rev-parse, which echoes options that it
// does not know: paths may hold newlines.
const between = "--boo-between"

// Checkout finds the work tree that dir is in, as git itself would from there.
// Every use of boo in a repository begins with it, so a git that is too old is
// refused here.
func (e *Engine) Checkout(ctx context.Context, dir string) (orchestrator.Checkout, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return orchestrator.Checkout{}, orchestrator.Errorf(orchestrator.CodeNotFound, "%s is not a directory", dir)
	}
	if err := e.newEnough(ctx); err != nil {
		return orchestrator.Checkout{}, err
	}
	if c, ok := plainCheckout(dir); ok {
		return c, nil
	}
	return e.askedCheckout(ctx, dir)
}

// askedCheckout has git find the work tree.
func (e *Engine) askedCheckout(ctx context.Context, dir string) (orchestrator.Checkout, error) {
	out, err := e.git.Run(ctx, gitcmd.Call{
		Args: []string{
			"rev-parse", "--path-format=absolute", "--is-bare-repository", between, "--show-toplevel", between,
			"--absolute-git-dir", between, "--git-common-dir", between, "--show-prefix", between,
		},
		Discover: dir, Personal: true,
	})
	if err != nil {
		return orchestrator.Checkout{}, notCheckout(err, dir, out.Stdout)
	}
	answers := strings.Split(string(out.Stdout), "\n"+between+"\n")
	if len(answers) < 5 {
		return orchestrator.Checkout{}, orchestrator.Errorf(orchestrator.CodeInternal, "find the work tree of %s: git answered %q", dir, out.Stdout)
	}
	c := orchestrator.Checkout{
		Dir:       orchestrator.CheckoutDir(answers[1]),
		GitDir:    orchestrator.GitDir(answers[2]),
		CommonDir: orchestrator.GitDir(answers[3]),
		Prefix:    orchestrator.Path(strings.TrimSuffix(strings.TrimSuffix(answers[4], "\n"), "/")),
	}
	c.Head, err = e.resolve(ctx, c.GitDir, "HEAD")
	if err != nil && !exited(err, 1) {
		return orchestrator.Checkout{}, coded(err, "read HEAD of %s", c.Dir)
	}
	return c, nil
}

// resolve returns the commit that a revision names. An error with exit status
// 1 says that there is none.
func (e *Engine) resolve(ctx context.Context, gitDir orchestrator.GitDir, rev string) (orchestrator.ObjectID, error) {
	call := shared(gitDir, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	call.Personal = true
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return "", err
	}
	return orchestrator.ParseObjectID(string(bytes.TrimSpace(out.Stdout)))
}

// notCheckout explains why dir is in no work tree.
func notCheckout(err error, dir string, stdout []byte) error {
	git, ok := errors.AsType[*GitError](err)
	if !ok || git.ExitCode < 0 {
		return coded(err, "find the work tree of %s", dir)
	}
	switch {
	case git.Says("dubious ownership"):
		return orchestrator.Errorf(orchestrator.CodeDenied,
			"%s belongs to another user, and git reads such repositories only after you have said that you trust them", dir).
			WithHint("git config --global --add safe.directory %s", quoteShell(owned(git.Stderr, dir)))
	case git.Says("not a git repository"):
		return orchestrator.Errorf(orchestrator.CodeNotFound, "%s is not in a git repository", dir).
			WithHint("cd into a git repository, or make one: git init")
	case git.Says("must be run in a work tree"), git.Says("cannot use bare repository"):
		if bytes.HasPrefix(stdout, []byte("false")) {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s is inside a git directory, not in a work tree", dir).
				WithHint("cd into the work tree")
		}
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s is in a bare repository, which has no files to work on", dir).
			WithHint("cd into a clone or a worktree of it: git worktree add")
	}
	return coded(err, "find the work tree of %s", dir)
}

// owned finds in git's words the directory whose owner it objects to.
func owned(stderr, dir string) string {
	_, rest, ok := strings.Cut(stderr, "repository at '")
	if name, _, closed := strings.Cut(rest, "'\n"); ok && closed {
		return name
	}
	return dir
}

func quoteShell(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
