package worktree_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// trapped gives the repository and the worktree everything that is known to
// make git run something, each leaving a mark.
type trapped struct {
	*fixture
	marks string
	trap  string
}

func newTrapped(t *testing.T) (*trapped, *gitWrapper) {
	trace := filepath.Join(t.TempDir(), "trace")
	wrapper := &gitWrapper{script: "export GIT_TRACE2_EVENT='" + trace + "'\n"}
	f := &trapped{fixture: newFixture(t, wrapper.install(t), func(o *worktree.Options) {
		o.MaxPacks = 1
		trap := filepath.Join(filepath.Dir(filepath.Dir(o.Dir)), "trap.sh")
		// What the person's shell, or an agent that boo was started by, may say.
		o.Environ = append(o.Environ,
			"GIT_DIR=/nowhere", "GIT_WORK_TREE=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_OBJECT_DIRECTORY=/nowhere",
			"GIT_EXTERNAL_DIFF="+trap, "GIT_SSH_COMMAND="+trap, "GIT_ASKPASS="+trap, "GIT_EDITOR="+trap, "GIT_PAGER="+trap, "PAGER="+trap,
			"GIT_EXEC_PATH=/nowhere", "GIT_TEMPLATE_DIR=/nowhere", "GIT_CONFIG_PARAMETERS='core.fsmonitor="+trap+"'",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+trap,
		)
	})}
	wrapper.dir = trace
	f.marks = filepath.Join(f.root, "marks")
	f.trap = filepath.Join(f.root, "trap.sh")
	f.mkdir(f.marks)
	f.write(f.trap, "#!/bin/sh\ntouch '"+f.marks+"/'$$\ncat\n")
	f.chmod(f.trap, 0o755)
	return f, wrapper
}

// arm sets traps in the configuration of the repository that dir is in.
func (f *trapped) arm(dir string) {
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand", "core.gitProxy",
		"diff.external", "diff.t.command", "diff.t.textconv", "filter.t.clean", "filter.t.smudge", "filter.u.process", "merge.t.driver", "merge.default.driver",
		"credential.helper", "gpg.program", "sequence.editor", "pager.status", "pager.diff-tree", "uploadpack.packObjectsHook", "trailer.x.command", "hook.t.command",
	} {
		f.git(dir, "config", key, f.trap)
	}
	for key, value := range map[string]string{
		"core.hooksPath": f.root + "/hooks", "filter.t.required": "true", "commit.gpgSign": "true", "submodule.recurse": "true",
		"diff.ignoreSubmodules": "none", "status.submoduleSummary": "true", "diff.submodule": "log", "core.untrackedCache": "true",
		"gc.auto": "1", "checkout.workers": "4", "extensions.worktreeConfig": "true", "protocol.allow": "always",
	} {
		f.git(dir, "config", key, value)
	}
	for _, event := range []string{"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc"} {
		f.git(dir, "config", "--add", "hook.t.event", event)
	}
	f.git(dir, "config", "--worktree", "core.fsmonitor", f.trap)
}

func (f *trapped) hooks() {
	for _, hook := range []string{
		"post-checkout", "pre-commit", "post-commit", "post-index-change", "reference-transaction", "post-update", "pre-auto-gc", "prepare-commit-msg", "commit-msg", "fsmonitor-watchman",
	} {
		f.write(f.root+"/hooks/"+hook, "#!/bin/sh\nexec "+f.trap+"\n")
		f.chmod(f.root+"/hooks/"+hook, 0o755)
		f.write(f.repo+"/.git/hooks/"+hook, "#!/bin/sh\nexec "+f.trap+"\n")
		f.chmod(f.repo+"/.git/hooks/"+hook, 0o755)
	}
}

// spring checks that the traps are real: plain git runs into one.
func (f *trapped) spring(dir string) {
	f.t.Helper()
	_, _ = f.tryGit(dir, "status")
	marks, _ := os.ReadDir(f.marks)
	if len(marks) == 0 {
		f.t.Fatal("plain git did not run into any trap: the test proves nothing")
	}
	f.remove(f.marks)
	f.mkdir(f.marks)
}

func TestNothingOfARepositoryRuns(t *testing.T) {
	f, wrapper := newTrapped(t)
	f.write(f.repo+"/.gitattributes", "*.txt filter=t diff=t merge=t\n*.md filter=u\n")
	f.write(f.repo+"/a.txt", "one\ntwo\nthree\n")
	f.write(f.repo+"/b.md", "doc\n")
	withSubmodule(f.fixture)
	f.commit()
	f.git(f.repo, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
	f.hooks()
	f.arm(f.repo)
	f.arm(f.repo + "/sub")
	f.spring(f.repo)

	wt := f.create()
	dir := string(wt.Dir)
	f.redirect(wt)
	f.setTraps(dir)
	first := f.snapshot(wt)
	f.write(dir+"/a.txt", "one\n2\nthree\n")
	f.write(dir+"/c.txt", "new\n")
	second := f.snapshot(wt)
	f.everythingElse(wt, first, second)

	if marks, _ := os.ReadDir(f.marks); len(marks) > 0 {
		t.Errorf("%d traps were sprung", len(marks))
	}
	trace, err := os.ReadFile(wrapper.dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(trace, []byte(`"event":"start"`)); n < 20 {
		t.Errorf("the trace shows only %d gits", n)
	}
	for line := range bytes.Lines(trace) {
		if bytes.Contains(line, []byte(`"event":"child_start"`)) || bytes.Contains(line, []byte(`"event":"exec"`)) {
			t.Errorf("git started a program: %s", line)
		}
	}
}

// redirect has objects and commits of the repository lead elsewhere.
func (f *trapped) redirect(wt orchestrator.Worktree) {
	f.t.Helper()
	fake := f.git(f.repo, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
		"commit-tree", "-m", "fake", f.git(f.repo, "mktree"))
	f.write(f.repo+"/.git/refs/replace/"+string(wt.Base), fake+"\n")
	other := f.root + "/lender"
	f.git(f.root, "-c", "core.hooksPath=/dev/null", "init", "-q", "--bare", other)
	f.arm(other)
	f.write(f.repo+"/.git/objects/info/alternates", other+"/objects\n")
}

// setTraps does to a worktree what a hostile agent would.
func (f *trapped) setTraps(dir string) {
	f.t.Helper()
	// A nested repository with its own configuration, and one as a submodule.
	for _, nested := range []string{dir + "/nested", dir + "/sub"} {
		f.git(f.root, "-c", "core.hooksPath=/dev/null", "init", "-q", nested)
		f.write(nested+"/.gitattributes", "* filter=t\n")
		f.write(nested+"/x", "x\n")
		f.git(nested, "-c", "core.hooksPath=/dev/null", "add", "-A")
		f.git(nested, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "x")
		f.arm(nested)
		f.write(nested+"/x", "changed\n")
	}
	// A bare repository in a subdirectory.
	f.git(f.root, "-c", "core.hooksPath=/dev/null", "init", "-q", "--bare", dir+"/bare.git")
	f.arm(dir + "/bare.git")
	f.remove(f.marks)
	f.mkdir(f.marks)
	// The .git file replaced by one that leads to a repository of the agent's.
	f.write(dir+"/.git", "gitdir: "+dir+"/nested/.git\n")
	f.spring(dir)
}

// everythingElse calls every method that the test has not called yet.
func (f *trapped) everythingElse(wt orchestrator.Worktree, first, second orchestrator.Snapshot) {
	t, ctx, common := f.t, f.t.Context(), wt.CommonDir
	c := f.checkout(f.repo)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	_, err := f.engine.Base(ctx, c, orchestrator.BaseRequest{Rev: "HEAD~0"})
	check(err)
	changes, err := f.engine.Diff(ctx, common, wt.Base, second.Commit)
	check(err)
	if len(changes) < 4 {
		t.Errorf("the difference has only %d paths", len(changes))
	}
	check(f.engine.WritePatch(ctx, io.Discard, common, wt.Base, second.Commit, nil))
	_, err = f.engine.Newest(ctx, wt)
	check(err)
	f.engine.Person(ctx, common)
	_ = f.engine.Verify(ctx, wt)

	entries := map[orchestrator.Path]orchestrator.Entry{}
	var paths []orchestrator.Path
	for _, change := range changes {
		entries[change.Path] = change.New
		paths = append(paths, change.Path)
	}
	_, err = f.engine.Current(ctx, c, append(paths, "b.md", "sub"), entries)
	check(err)
	dest := f.root + "/dest"
	f.mkdir(dest)
	check(f.engine.Materialize(ctx, c, dest, entries, byPath))
	tree, err := f.engine.Overlay(ctx, common, first.Tree, entries)
	check(err)
	made, err := f.engine.Commit(ctx, common, tree, []orchestrator.ObjectID{first.Commit}, "m")
	check(err)
	check(f.engine.MoveRef(ctx, common, "refs/boo/x", "", made))
	check(f.engine.MoveRef(ctx, common, "refs/boo/x", made, ""))
	blob, err := f.engine.PutBlob(ctx, common, strings.NewReader("one\ntwo\n3\n"))
	check(err)
	check(f.engine.Blob(ctx, common, blob, io.Discard))
	for _, change := range changes {
		if change.Path == "a.txt" {
			theirs := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: blob}
			_, _, err = f.engine.MergeFiles(ctx, common, change.Old, change.New, theirs)
			check(err)
		}
	}
	f.lookAndMend(wt, second)
}

// lookAndMend calls what reviews, repairs and keeps small.
func (f *trapped) lookAndMend(wt orchestrator.Worktree, newest orchestrator.Snapshot) {
	t, ctx, common := f.t, f.t.Context(), wt.CommonDir
	c := f.checkout(f.repo)
	for name, call := range map[string]func() error{
		"blame":   func() error { _, err := f.engine.Blame(ctx, wt, newest.Commit, "a.txt"); return err },
		"renames": func() error { _, err := f.engine.Renames(ctx, common, wt.Base, newest.Commit); return err },
		"words":   func() error { return f.engine.WriteWords(ctx, io.Discard, common, wt.Base, newest.Commit, nil) },
		"sizes": func() error {
			_, err := f.engine.Sizes(ctx, common, []orchestrator.ObjectID{newest.Commit})
			return err
		},
		"checked out": func() error { _, _, err := f.engine.CheckedOut(ctx, c); return err },
		"chats":       func() error { _, err := f.engine.Chats(ctx, common); return err },
		"usage":       func() error { _, err := f.engine.Usage(ctx, wt); return err },
		"weigh":       func() error { _, err := f.engine.Weigh(ctx, wt); return err },
		"half made":   func() error { _, err := f.engine.HalfMade(common); return err },
		"mirrors":     func() error { _, err := f.engine.Mirrors(ctx, common); return err },
		"maintain":    func() error { return f.engine.Maintain(ctx, common) },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.engine.Oddities(ctx, wt)
	if _, err := f.engine.Repair(ctx, wt); err != nil {
		t.Errorf("repair: %v", err)
	}
	f.remove(string(wt.Dir))
	if err := f.engine.Restore(ctx, wt); err != nil {
		t.Errorf("restore: %v", err)
	}
	if err := f.engine.Release(ctx, common, wt.Chat); err != nil {
		t.Errorf("release: %v", err)
	}
}
