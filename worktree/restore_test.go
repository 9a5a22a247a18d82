package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

// worked is a worktree in which an agent has done all that a snapshot records.
func worked(f *fixture) orchestrator.Worktree {
	f.write(f.repo+"/.gitignore", "*.log\n")
	f.write(f.repo+"/keep.txt", "keep\n")
	f.write(f.repo+"/edit.txt", "old\n")
	f.write(f.repo+"/gone.txt", "gone\n")
	f.write(f.repo+"/run.sh", "#!/bin/sh\n")
	f.write(f.repo+"/dir/deep.txt", "deep\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/edit.txt", "new\n")
	f.remove(dir + "/gone.txt")
	f.remove(dir + "/dir")
	f.write(dir+"/dir", "a file now\n")
	f.chmod(dir+"/run.sh", 0o755)
	f.write(dir+"/untracked/a b.txt", "a\n")
	f.symlink("keep.txt", dir+"/link")
	f.write(dir+"/forced.log", "forced\n")
	f.write(dir+"/ignored.log", "ignored\n")
	f.git(dir, "add", "-f", "forced.log")
	return wt
}

func TestRestoreBringsBackWhatTheNewestSnapshotHas(t *testing.T) {
	f := newFixture(t)
	wt := worked(f)
	dir := string(wt.Dir)
	snap := f.snapshot(wt)
	f.remove(dir)

	if err := f.engine.Restore(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if err := f.engine.Verify(t.Context(), wt); err != nil {
		t.Error(err)
	}
	if again := f.snapshot(wt); again.Tree != snap.Tree {
		t.Errorf("the tree is another one:\n%s\nwas:\n%s", f.listing(f.repo, again.Tree), f.listing(f.repo, snap.Tree))
	}
	if _, err := os.Lstat(dir + "/ignored.log"); err == nil {
		t.Error("an ignored file came back, which no snapshot has")
	}
	status := f.git(dir, "status", "--porcelain", "-uall")
	want := strings.Join([]string{"A  forced.log", " D dir/deep.txt", " M edit.txt", " D gone.txt", " M run.sh", "?? dir", "?? link", `?? "untracked/a b.txt"`}, "\n")
	if sorted(status) != sorted(want) {
		t.Errorf("git status says\n%s\nwant\n%s", status, want)
	}
	if head := f.git(dir, "rev-parse", "HEAD"); head != string(wt.Base) {
		t.Errorf("HEAD is %s, want the base", head)
	}
	if list := f.git(f.repo, "worktree", "list", "--porcelain"); !strings.Contains(list, "locked boo chat "+string(wt.Chat)) {
		t.Errorf("it is not locked:\n%s", list)
	}
}

func sorted(lines string) string {
	list := strings.Split(lines, "\n")
	for i := range list {
		for j := range i {
			if list[i] < list[j] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return strings.Join(list, "\n")
}

func TestRestoreOfAWorktreeWithoutRegistrationAndPrivateFiles(t *testing.T) {
	f := newFixture(t)
	wt := worked(f)
	snap := f.snapshot(wt)
	f.remove(string(wt.Dir))
	f.remove(string(wt.CommonDir) + "/worktrees")
	f.remove(filepath.Join(f.opts.Dir, "chats"))
	f.git(f.repo, "gc", "-q", "--prune=now")
	if err := f.engine.Restore(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if again := f.snapshot(wt); again.Tree != snap.Tree {
		t.Error("the tree is another one")
	}
}

func TestRestoreGoesOnAfterOneThatWasCutOff(t *testing.T) {
	f := newFixture(t)
	wt := worked(f)
	snap := f.snapshot(wt)
	f.remove(string(wt.Dir))
	f.write(string(wt.Dir)+".restoring/half", "half\n")
	if err := f.engine.Restore(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if again := f.snapshot(wt); again.Tree != snap.Tree {
		t.Error("the tree is another one")
	}
	if left, _ := filepath.Glob(string(wt.Dir) + ".*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestRestoreLeavesAloneWhatStandsInItsPlace(t *testing.T) {
	f := newFixture(t)
	wt := worked(f)
	f.snapshot(wt)
	f.remove(string(wt.Dir))
	f.write(string(wt.Dir)+"/theirs", "x\n")
	err := f.engine.Restore(t.Context(), wt)
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || orchestrator.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
	if content, _ := os.ReadFile(string(wt.Dir) + "/theirs"); string(content) != "x\n" {
		t.Error("it was touched")
	}
}

func TestCommitsOfAnAgentAreHeldWhereverItsHeadGoes(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	commit := func(text string) string {
		f.write(dir+"/a.txt", text)
		f.git(dir, "commit", "-qam", text)
		return f.git(dir, "rev-parse", "HEAD")
	}
	ref := func(name string) string {
		out, _ := f.tryGit(f.repo, "rev-parse", "-q", "--verify", "refs/boo/chats/"+string(wt.Chat)+"/"+name)
		return strings.TrimSpace(out)
	}
	f.snapshot(wt)
	if got := ref("worktree-head"); got != "" {
		t.Errorf("at the base the head is held at %s", got)
	}
	first := commit("first")
	second := commit("second")
	f.snapshot(wt)
	if got := ref("worktree-head"); got != second {
		t.Errorf("held %s, want %s", got, second)
	}
	third := commit("third")
	f.snapshot(wt)
	if got := ref("left/" + second); got != "" {
		t.Error("a commit that HEAD still has counts as left")
	}
	f.git(dir, "reset", "-q", "--hard", first)
	fourth := commit("fourth")
	f.snapshot(wt)
	if ref("worktree-head") != fourth || ref("left/"+third) != third {
		t.Errorf("held %s, left %s", ref("worktree-head"), ref("left/"+third))
	}
	f.git(dir, "checkout", "-q", "--detach", string(wt.Base))
	snap := f.snapshot(wt)
	if ref("worktree-head") != "" || ref("left/"+fourth) != fourth {
		t.Errorf("back at the base: held %q, left %q", ref("worktree-head"), ref("left/"+fourth))
	}

	// All of it outlives the worktree, its reflog and a collection.
	fifth := commit("fifth")
	f.write(dir+"/new.txt", "n\n")
	snap = f.snapshot(wt)
	f.remove(dir)
	f.git(f.repo, "worktree", "unlock", dir)
	f.git(f.repo, "worktree", "prune")
	f.git(f.repo, "gc", "-q", "--prune=now")
	for _, id := range []string{first, second, third, fourth, fifth} {
		f.git(f.repo, "cat-file", "-e", id)
	}
	if err := f.engine.Restore(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if head := f.git(dir, "rev-parse", "HEAD"); head != fifth {
		t.Errorf("HEAD is %s, want %s", head, fifth)
	}
	if again := f.snapshot(wt); again.Tree != snap.Tree {
		t.Error("the tree is another one")
	}
	if status := f.git(dir, "status", "--porcelain"); status != "?? new.txt" {
		t.Errorf("git status says %q", status)
	}
}

func TestAHeadThatNamesNothingIsNotHeld(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	f.write(string(wt.CommonDir)+"/worktrees/"+string(wt.Chat)+"/HEAD", strings.Repeat("ab", 20)+"\n")
	f.write(string(wt.Dir)+"/a.txt", "b\n")
	f.snapshot(wt)
	f.git(f.repo, "worktree", "unlock", string(wt.Dir))
	f.git(f.repo, "for-each-ref", "--format=%(objecttype)", "refs/boo") // fails on a ref to nothing
}

func TestRestoreInRepositoriesOfEveryKind(t *testing.T) {
	for _, c := range repositoryKinds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.setup(f)
			f.write(f.repo+"/text", "a\nb\n")
			f.commit()
			wt := f.create()
			f.write(string(wt.Dir)+"/new", "n\r\n")
			f.write(string(wt.Dir)+"/text", "changed\n")
			snap := f.snapshot(wt)
			f.remove(string(wt.Dir))
			if err := f.engine.Restore(t.Context(), wt); err != nil {
				t.Fatal(err)
			}
			if again := f.snapshot(wt); again.Tree != snap.Tree {
				t.Errorf("the tree is another one:\n%s\nwas:\n%s", f.listing(f.repo, again.Tree), f.listing(f.repo, snap.Tree))
			}
		})
	}
}
