package worktree_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"boo/orchestrator"
)

// old is the modification time of files that were copied and not written anew.
var old = time.Now().Add(-time.Hour).Truncate(time.Second)

// aged makes the person's checkout hold n files of that time.
func (f *fixture) aged(n int) {
	f.t.Helper()
	for i := range n {
		f.write(fmt.Sprintf("%s/f%d", f.repo, i), fmt.Sprint(i))
	}
	f.commit()
	f.agedAgain(n)
}

func (f *fixture) agedAgain(n int) {
	f.t.Helper()
	for i := range n {
		if err := os.Chtimes(fmt.Sprintf("%s/f%d", f.repo, i), old, old); err != nil {
			f.t.Fatal(err)
		}
	}
	settle()
	f.git(f.repo, "update-index", "-q", "--refresh")
}

// proven is a worktree all of whose files can be told by their times.
func (f *fixture) proven() orchestrator.Worktree {
	f.t.Helper()
	wt := f.create()
	settle()
	f.snapshot(wt)
	return wt
}

// copied counts the files of a worktree that were copied.
func (f *fixture) copied(wt orchestrator.Worktree, n int) (copied int) {
	f.t.Helper()
	for i := range n {
		info, err := os.Stat(fmt.Sprintf("%s/f%d", wt.Dir, i))
		if err != nil {
			f.t.Fatal(err)
		}
		if info.ModTime().Equal(old) {
			copied++
		}
	}
	if status := f.git(string(wt.Dir), "status", "--porcelain"); status != "" {
		f.t.Errorf("not clean: %s", status)
	}
	return copied
}

// What the person's checkout has not, because it is at another commit or was
// edited, comes from the worktree of another chat as far as that has it still.
func TestFilesComeFromAnotherChatsWorktree(t *testing.T) {
	f := newFixture(t)
	f.aged(20)
	first := f.proven()
	if n := f.copied(first, 20); n != 20 {
		t.Errorf("%d files came from the checkout, want 20", n)
	}
	f.remove(f.repo + "/.git/index")
	second := f.proven()
	if n := f.copied(second, 20); n != 20 {
		t.Errorf("%d files came from the other chat, want 20", n)
	}
	// Agents at work in both: one file is edited, one is not there any more.
	for _, wt := range []orchestrator.Worktree{first, second} {
		f.write(string(wt.Dir)+"/f3", "!")
		f.remove(string(wt.Dir) + "/f4")
		f.symlink("/etc/passwd", string(wt.Dir)+"/f5")
		f.chmod(string(wt.Dir)+"/f6", 0o755)
	}
	if n := f.copied(f.create(), 20); n != 16 {
		t.Errorf("%d files came from the other chats, want 16", n)
	}
}

func TestAWorktreeThatIsGoneHidesNoOther(t *testing.T) {
	f := newFixture(t)
	f.aged(20)
	gone, there := f.proven(), f.proven()
	f.remove(f.repo + "/.git/index")
	if gone.Chat > there.Chat { // they are looked at in the order of their names
		gone, there = there, gone
	}
	f.must(os.RemoveAll(string(gone.Dir)))
	if n := f.copied(f.create(), 20); n != 20 {
		t.Errorf("%d files came from %s, want 20", n, there.Chat)
	}
}

func TestBothTheCheckoutAndAnotherChatGiveFiles(t *testing.T) {
	f := newFixture(t)
	f.aged(20)
	f.proven()
	wt := f.worktree()
	for i := range 10 {
		f.write(fmt.Sprintf("%s/f%d", f.repo, i), "second")
	}
	f.commit()
	if err := f.engine.Create(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if n := f.copied(wt, 20); n != 20 {
		t.Errorf("%d files were copied, want all", n)
	}
}

// A checkout whose attributes have git rewrite files is no template, whatever
// the base's attributes say.
func TestAFileThatGitRewroteIsNotCopied(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/f0", "$Id$\n")
	f.commit()
	wt := f.worktree()
	f.write(f.repo+"/.gitattributes", "f* ident\n")
	f.commit()
	f.remove(f.repo + "/f0")
	f.git(f.repo, "checkout", "f0")
	f.agedAgain(1)
	if err := f.engine.Create(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(string(wt.Dir) + "/f0"); string(got) != "$Id$\n" {
		t.Errorf("the file has %q", got)
	}
}

// What cannot be read in the checkout comes from the objects.
func TestAnUnreadableCheckoutIsNoHindrance(t *testing.T) {
	f := newFixture(t)
	f.aged(5)
	f.remove(f.repo + "/f1")
	f.mkdir(f.repo + "/f1")
	f.symlink("/nowhere", f.repo+"/f2")
	f.chmod(f.repo+"/f3", 0)
	defer f.chmod(f.repo+"/f3", 0o600)
	if n := f.copied(f.create(), 5); n != 2 {
		t.Errorf("%d files were copied, want 2", n)
	}
}
