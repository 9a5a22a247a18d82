package worktree_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// attempt is what a process that is to be killed is told to create.
type attempt struct {
	Dir, Git string
	Environ  []string
	Worktree orchestrator.Worktree
}

const attemptVar = "BOO_TEST_CREATE"

// TestCreateInAProcess is not about this process, but is run as another one.
func TestCreateInAProcess(t *testing.T) {
	told := os.Getenv(attemptVar)
	if told == "" {
		return
	}
	var a attempt
	if err := json.Unmarshal([]byte(told), &a); err != nil {
		t.Fatal(err)
	}
	engine, err := worktree.New(worktree.Options{Dir: a.Dir, Git: a.Git, Environ: a.Environ})
	if err == nil {
		err = engine.Create(t.Context(), a.Worktree)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// killMidway creates in a process that is killed once it asks git for the one
// object that it does not read itself, after many others.
func (f *fixture) killMidway(wt orchestrator.Worktree) {
	f.t.Helper()
	reached := filepath.Join(f.root, "reached")
	git := filepath.Join(f.root, "git-that-waits")
	if err := syscall.Mkfifo(reached, 0o600); err != nil {
		f.t.Fatal(err)
	}
	script := fmt.Sprintf(`#!/bin/sh
case " $* " in *" cat-file "*) : > %q; cat > /dev/null; exit 1;; esac
exec %s "$@"
`, reached, gitBinary)
	writeScript(f.t, git, script)
	told, err := json.Marshal(attempt{f.opts.Dir, git, f.opts.Environ, wt})
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.CommandContext(f.t.Context(), os.Args[0], "-test.run=^TestCreateInAProcess$")
	cmd.Env = append(os.Environ(), attemptVar+"="+string(told))
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	asked, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		if told, err := os.Open(reached); err == nil { // once git is asked
			_ = told.Close()
		}
		close(asked)
	}()
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
	case err := <-ended:
		f.t.Fatalf("it ended by itself: %v", err)
	}
	_ = cmd.Process.Kill()
	<-ended
	if left, err := os.ReadDir(string(wt.Dir)); err != nil || len(left) < 250 {
		f.t.Fatalf("only %d files were there, %v", len(left), err)
	}
}

// A kill while the files are written, from the checkout or from the objects,
// leaves what the next attempt clears away and makes whole; the person's
// checkout is as it was.
func TestCreateAfterAKillAmongTheFiles(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"checkout", "objects"} {
		t.Run(from, func(t *testing.T) {
			f := newFixture(t)
			for i := range 600 {
				f.write(fmt.Sprintf("%s/f%04d", f.repo, i), strings.Repeat("x", i))
			}
			f.write(f.repo+"/last", strings.Repeat("large", 1<<20))
			f.commit()
			f.git(f.repo, "gc", "-q")
			f.write(f.repo+"/last", "edited")
			if from == "objects" {
				f.git(f.repo, "rm", "-rfq", "--cached", ".")
			}
			before := f.git(f.repo, "status", "--porcelain")
			wt := f.worktree()
			f.killMidway(wt)
			// As after a commit that the person made meanwhile.
			f.git(f.repo, "commit", "-q", "--allow-empty", "-m", "meanwhile", "--only")
			if err := f.engine.Create(t.Context(), wt); err != nil {
				t.Fatal(err)
			}
			if err := f.engine.Verify(t.Context(), wt); err != nil {
				t.Error(err)
			}
			if status := f.git(string(wt.Dir), "status", "--porcelain"); status != "" {
				t.Errorf("not clean: %.200s", status)
			}
			if head := f.git(string(wt.Dir), "rev-parse", "HEAD"); head != string(wt.Base) {
				t.Errorf("HEAD is %s, want the base %s", head, wt.Base)
			}
			if after := f.git(f.repo, "status", "--porcelain"); after != before {
				t.Errorf("the person's checkout changed: %.200s", after)
			}
		})
	}
}
