package worktree_test

import (
	"errors"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

func TestVerifyNamesTheFault(t *testing.T) {
	for _, c := range []struct {
		name  string
		harm  func(f *fixture, wt orchestrator.Worktree)
		fault worktree.Fault
		code  orchestrator.Code
	}{
		{"directory gone", func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir)) }, worktree.Missing, orchestrator.CodeNotFound},
		{"a symlink instead", func(f *fixture, wt orchestrator.Worktree) { f.symlink(f.repo, string(wt.Dir)) }, worktree.Replaced, orchestrator.CodeUnverified},
		{"a file instead", func(f *fixture, wt orchestrator.Worktree) {
			f.remove(string(wt.Dir))
			f.write(string(wt.Dir), "x")
		}, worktree.Replaced, orchestrator.CodeUnverified},
		{".git gone", func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir) + "/.git") }, worktree.Replaced, orchestrator.CodeUnverified},
		{".git a repository", func(f *fixture, wt orchestrator.Worktree) {
			f.remove(string(wt.Dir) + "/.git")
			f.git(string(wt.Dir), "init", "-q")
		}, worktree.Replaced, orchestrator.CodeUnverified},
		{".git a fifo", func(f *fixture, wt orchestrator.Worktree) {
			f.remove(string(wt.Dir) + "/.git")
			mkfifo(f.t, string(wt.Dir)+"/.git")
		}, worktree.Replaced, orchestrator.CodeUnverified},
		{".git garbage", func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/.git", "hello\n") }, worktree.Replaced, orchestrator.CodeUnverified},
		{".git to elsewhere", func(f *fixture, wt orchestrator.Worktree) {
			f.write(string(wt.Dir)+"/.git", "gitdir: /elsewhere\n")
		}, worktree.Foreign, orchestrator.CodeUnverified},
		{"registration gone", func(f *fixture, wt orchestrator.Worktree) {
			f.git(f.repo, "worktree", "unlock", string(wt.Dir))
			f.git(f.repo, "worktree", "remove", string(wt.Dir))
			f.write(string(wt.Dir)+"/.git", "gitdir: "+string(wt.CommonDir)+"/worktrees/"+string(wt.Chat)+"\n")
		}, worktree.Missing, orchestrator.CodeNotFound},
		{"registered elsewhere", func(f *fixture, wt orchestrator.Worktree) {
			f.write(string(wt.CommonDir)+"/worktrees/"+string(wt.Chat)+"/gitdir", "/elsewhere/.git\n")
		}, worktree.Foreign, orchestrator.CodeUnverified},
		{"repository moved", func(f *fixture, wt orchestrator.Worktree) { rename(f, f.repo, f.root+"/moved") }, worktree.Missing, orchestrator.CodeNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.write(f.repo+"/a", "a\n")
			f.commit()
			wt := f.create()
			c.harm(f, wt)
			err := f.engine.Verify(t.Context(), wt)
			fault, ok := errors.AsType[*worktree.FaultError](err)
			if !ok || fault.Fault != c.fault || orchestrator.CodeOf(err) != c.code {
				t.Errorf("error %v, code %s", err, orchestrator.CodeOf(err))
			}
		})
	}
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}
