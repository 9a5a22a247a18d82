package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// gitWrapper is a git that does something of the test's first. The script
// finds the real one in $GIT, a file of its own in $COUNT, and may end without
// running it.
type gitWrapper struct {
	script string
	dir    string
}

func (w *gitWrapper) install(t *testing.T, variables ...string) func(*worktree.Options) {
	t.Helper()
	git, err := exec.LookPath(gitBinary)
	if err != nil {
		t.Fatal(err)
	}
	w.dir = t.TempDir()
	script := "#!/bin/sh\nGIT='" + git + "'\nCOUNT='" + w.dir + "/count'\n" +
		strings.Join(variables, "\n") + "\n" + w.script + "exec \"$GIT\" \"$@\"\n"
	path := filepath.Join(w.dir, "git")
	writeScript(t, path, script)
	return func(o *worktree.Options) { o.Git = path }
}

// writeScript makes a program that can be run at once: no process that a test
// beside this one starts meanwhile inherits the file open for writing.
func writeScript(t *testing.T, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// worktreeByPlainGit is worktree without the engine, for tests that count its
// gits.
func (f *fixture) worktreeByPlainGit() orchestrator.Worktree {
	f.t.Helper()
	chat := orchestrator.NewChatID()
	return orchestrator.Worktree{
		Chat: chat, CommonDir: orchestrator.GitDir(f.repo + "/.git"),
		Base: orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD")),
		Dir:  orchestrator.WorktreeDir(filepath.Join(f.root, "data", "worktrees", string(chat))),
	}
}
