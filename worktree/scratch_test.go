package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAScratchHasExactlyTheTreeAndLeavesNothingBehind(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/.gitignore", "ignored\n")
	f.write(f.repo+"/edited", "committed\n")
	f.write(f.repo+"/gone", "committed\n")
	f.commit()
	f.write(f.repo+"/edited", "mine\n")
	f.write(f.repo+"/untracked", "mine\n")
	f.write(f.repo+"/ignored", "mine\n")
	f.remove(f.repo + "/gone")
	check := f.untouched()
	c := f.checkout(f.repo)

	tree, skipped, err := f.engine.Files(t.Context(), c)
	if err != nil || len(skipped) > 0 {
		t.Fatal(err, skipped)
	}
	name := orchestrator.NewChatID()
	wt, err := f.engine.MakeScratch(t.Context(), c, name, tree)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.git(string(wt.Dir), "rev-parse", "HEAD^{tree}"); strings.TrimSpace(got) != string(tree) {
		t.Errorf("HEAD has tree %s, want %s", got, tree)
	}
	if got := f.git(string(wt.Dir), "rev-parse", "HEAD^"); strings.TrimSpace(got) != string(c.Head) {
		t.Errorf("HEAD is on %s, want %s", got, c.Head)
	}
	if got := f.git(string(wt.Dir), "status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("its files are not those of the tree:\n%s", got)
	}
	if listing := f.listing(f.repo, tree); strings.Contains(listing, "gone") || strings.Contains(listing, "ignored\n") || !strings.Contains(listing, "untracked") {
		t.Errorf("tree:\n%s", listing)
	}
	check()
	f.git(f.repo, "gc", "-q", "--prune=now") // nothing of it may go while it is there
	f.git(string(wt.Dir), "fsck", "--connectivity-only")

	f.write(string(wt.Dir)+"/cache/deep/file", "built\n")
	f.chmod(string(wt.Dir)+"/cache/deep", 0o555)
	f.chmod(string(wt.Dir)+"/cache", 0o555)
	if left, err := f.engine.Scratches(t.Context()); err != nil || len(left) != 1 || left[0].Chat != name || left[0].CommonDir != c.CommonDir || left[0].Dir != wt.Dir {
		t.Errorf("scratches %+v, %v", left, err)
	}
	for range 2 { // the second time there is nothing to do
		if err := f.engine.DropScratch(t.Context(), wt); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := f.engine.Scratches(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("scratches %+v, %v", left, err)
	}
	if _, err := os.Lstat(filepath.Join(string(c.CommonDir), "worktrees")); !os.IsNotExist(err) {
		t.Errorf("the repository still knows worktrees: %v", err)
	}
	if refs := f.git(f.repo, "for-each-ref", "refs/boo"); refs != "" {
		t.Errorf("refs are left:\n%s", refs)
	}
	f.git(f.repo, "fsck", "--connectivity-only")
}

func TestAScratchThatCannotBeMadeLeavesNothing(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/file", "committed\n")
	f.commit()
	c := f.checkout(f.repo)
	check := f.untouched()
	_, err := f.engine.MakeScratch(t.Context(), c, orchestrator.NewChatID(), "1111111111111111111111111111111111111111")
	if err == nil {
		t.Fatal("there is no such tree")
	}
	if left, err := f.engine.Scratches(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("scratches %+v, %v", left, err)
	}
	check()
}
