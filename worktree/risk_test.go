package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boo/orchestrator"
)

// risks are the kinds of risk of a worktree, sorted.
func (f *fixture) risks(wt orchestrator.Worktree) []orchestrator.RiskKind {
	f.t.Helper()
	var kinds []orchestrator.RiskKind
	all := f.engine.Risks(f.t.Context(), wt.CommonDir, []orchestrator.Worktree{wt}, func(orchestrator.ChatID) bool { return true })
	for _, r := range all[wt.Chat].Risks {
		if r.Kind == orchestrator.RiskUnknown {
			f.t.Log(r.Detail)
		}
		kinds = append(kinds, r.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

// agentCommit commits everything in a worktree, as an agent does.
func (f *fixture) agentCommit(wt orchestrator.Worktree, message string) {
	f.t.Helper()
	f.git(string(wt.Dir), "add", "-A")
	f.git(string(wt.Dir), "commit", "-q", "-m", message)
}

func TestRisksOfAWorktree(t *testing.T) {
	t.Parallel()
	kinds := func(k ...orchestrator.RiskKind) []orchestrator.RiskKind { return k }
	for name, c := range map[string]struct {
		happens func(f *fixture, wt orchestrator.Worktree, dir string)
		want    []orchestrator.RiskKind
	}{
		"nothing": {func(*fixture, orchestrator.Worktree, string) {}, nil},
		"all in the newest snapshot": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.write(dir+"/new.txt", "new\n")
			f.snapshot(wt)
		}, nil},
		"an edit": {func(f *fixture, _ orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
		}, kinds(orchestrator.RiskDirty)},
		"a deleted and a new file": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.snapshot(wt)
			f.remove(dir + "/a.txt")
			f.write(dir+"/new.txt", "new\n")
		}, kinds(orchestrator.RiskDirty, orchestrator.RiskUntracked)},
		"a commit": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.agentCommit(wt, "work")
			f.snapshot(wt)
		}, kinds(orchestrator.RiskUnpushed)},
		"a commit on a branch": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.agentCommit(wt, "work")
			f.git(dir, "branch", "kept")
			f.snapshot(wt)
		}, nil},
		"commits that were squashed": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.agentCommit(wt, "one")
			f.write(dir+"/a.txt", "edited\ntwice\n")
			f.agentCommit(wt, "two")
			f.snapshot(wt)
			f.write(f.repo+"/other.txt", "other\n")
			f.write(f.repo+"/a.txt", "edited\ntwice\n")
			f.commit()
		}, nil},
		"commits that were picked": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.agentCommit(wt, "one")
			f.write(dir+"/b.txt", "b\n")
			f.agentCommit(wt, "two")
			f.snapshot(wt)
			head := f.git(dir, "rev-parse", "HEAD")
			f.write(f.repo+"/other.txt", "other\n")
			f.commit()
			f.git(f.repo, "cherry-pick", head+"~", head)
		}, nil},
		"half of the commits picked": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.agentCommit(wt, "one")
			f.git(f.repo, "cherry-pick", f.git(dir, "rev-parse", "HEAD"))
			f.git(f.repo, "commit", "-q", "--amend", "-m", "picked")
			f.write(dir+"/b.txt", "b\n")
			f.agentCommit(wt, "two")
			f.snapshot(wt)
		}, kinds(orchestrator.RiskUnpushed)},
		"another binary file than the branch has": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(dir+"/bin", "\x00one")
			f.agentCommit(wt, "one")
			f.snapshot(wt)
			f.write(f.repo+"/bin", "\x00two")
			f.commit()
		}, kinds(orchestrator.RiskUnpushed)},
		"a merge": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(f.repo+"/a.txt", "theirs\n")
			f.commit()
			f.write(dir+"/a.txt", "ours\n")
			f.agentCommit(wt, "ours")
			_, _ = f.tryGit(dir, "merge", "main")
			f.snapshot(wt)
		}, kinds(orchestrator.RiskOperation, orchestrator.RiskUnpushed)},
		"a stash": {func(f *fixture, _ orchestrator.Worktree, dir string) {
			f.write(dir+"/a.txt", "edited\n")
			f.git(dir, "stash")
		}, kinds(orchestrator.RiskStash)},
		"a repository among ignored files": {func(f *fixture, wt orchestrator.Worktree, dir string) {
			f.write(filepath.Join(string(wt.CommonDir), "info", "exclude"), "build/\n")
			f.git(dir, "init", "-q", "build/deps/one")
		}, kinds(orchestrator.RiskUnrecorded)},
		"a stash on its branch": {func(f *fixture, _ orchestrator.Worktree, dir string) {
			f.git(dir, "checkout", "-q", "-b", "topic")
			f.write(dir+"/a.txt", "edited\n")
			f.git(dir, "stash")
			f.git(dir, "commit", "-q", "--allow-empty", "-m", "on the branch")
		}, kinds(orchestrator.RiskStash)},
		"a stash of the person's": {func(f *fixture, _ orchestrator.Worktree, _ string) {
			f.write(f.repo+"/a.txt", "edited\n")
			f.git(f.repo, "stash")
		}, nil},
		"a lock of somebody's": {func(f *fixture, wt orchestrator.Worktree, _ string) {
			f.git(f.repo, "worktree", "unlock", string(wt.Dir))
			f.git(f.repo, "worktree", "lock", "--reason", "mine", string(wt.Dir))
		}, kinds(orchestrator.RiskLocked)},
		"no directory": {func(f *fixture, _ orchestrator.Worktree, dir string) {
			f.remove(dir)
		}, kinds(orchestrator.RiskUnknown)},
		"a HEAD that cannot be read": {func(f *fixture, wt orchestrator.Worktree, _ string) {
			f.write(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "HEAD"), "rubbish\n")
		}, kinds(orchestrator.RiskUnknown)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write(f.repo+"/a.txt", "a\n")
			f.commit()
			wt := f.create()
			c.happens(f, wt, string(wt.Dir))
			if got := f.risks(wt); !slices.Equal(got, c.want) {
				t.Errorf("risks are %v, want %v", got, c.want)
			}
		})
	}
}

func TestRisksWriteNothingIntoTheRepository(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	f.write(string(wt.Dir)+"/new.txt", "new\n")
	before := f.objects()
	f.risks(wt)
	if after := f.objects(); !slices.Equal(before, after) {
		t.Errorf("objects are %v, were %v", after, before)
	}
}

// objects are the files of the repository's object store.
func (f *fixture) objects() (files []string) {
	f.t.Helper()
	err := filepath.WalkDir(f.repo+"/.git/objects", func(path string, _ os.DirEntry, err error) error {
		files = append(files, path)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return files
}

// Each of these was some processes, which is most of what a look costs.
func TestToCompareFilesWithASnapshotGitIsNotAsked(t *testing.T) {
	count := &gitWrapper{script: `for a; do case "$a" in status|check-ignore) echo "$a" >> "$COUNT";; esac; done` + "\n"}
	f := newFixture(t, count.install(t))
	for _, name := range []string{"a.txt", "b/b.txt", "gone.txt"} {
		f.write(f.repo+"/"+name, name+"\n")
	}
	f.commit()
	for name, c := range map[string]struct {
		happens func(dir string)
		want    []orchestrator.RiskKind
	}{
		"nothing":                  {func(string) {}, nil},
		"an edit":                  {func(dir string) { f.write(dir+"/a.txt", "edited\n") }, []orchestrator.RiskKind{orchestrator.RiskDirty}},
		"an edit of what was new":  {func(dir string) { f.write(dir+"/new/new.txt", "edited\n") }, []orchestrator.RiskKind{orchestrator.RiskDirty}},
		"what was new is gone":     {func(dir string) { f.remove(dir + "/new") }, []orchestrator.RiskKind{orchestrator.RiskDirty}},
		"written again, the same":  {func(dir string) { f.write(dir+"/a.txt", "a.txt\n") }, nil},
		"what was new is the same": {func(dir string) { f.write(dir+"/new/new.txt", "new\n") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			wt := f.create()
			dir := string(wt.Dir)
			f.write(dir+"/new/new.txt", "new\n")
			f.remove(dir + "/gone.txt")
			f.snapshot(wt)
			c.happens(dir)
			f.remove(count.dir + "/count")
			if kinds := f.risks(wt); !slices.Equal(kinds, c.want) {
				t.Errorf("risks are %v, want %v", kinds, c.want)
			}
			if asked, err := os.ReadFile(count.dir + "/count"); err == nil {
				t.Errorf("git was asked for %s", asked)
			}
		})
	}
}
