package reaper_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/reaper"
)

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// orphan makes a worktree of boo's that no row is of, and returns it.
func (b *broom) orphan() orchestrator.Worktree {
	b.t.Helper()
	wt := b.wt
	wt.Chat = orchestrator.NewChatID()
	wt.Dir = orchestrator.WorktreeDir(filepath.Join(filepath.Dir(b.dir()), string(wt.Chat)))
	must(b.t, b.trees.Create(b.t.Context(), wt))
	return wt
}

func TestDirectoriesThatNoRowOwns(t *testing.T) {
	b := newBroom(t)
	clean, dirty, spare := b.orphan(), b.orphan(), b.orphan()
	b.write(string(dirty.Dir)+"/work.txt", "work\n")
	must(t, b.db.PutSpare(t.Context(), orchestrator.Spare{Chat: spare.Chat, Repo: spare.Repo, Base: spare.Base}))
	roots := filepath.Join(b.root, "worktrees")
	b.write(roots+"/mine.txt", "a person's\n")
	b.write(filepath.Dir(b.dir())+"/notes/n.txt", "a person's too\n")
	elsewhere := b.root + "/elsewhere"
	b.write(elsewhere+"/x.txt", "far away\n")
	link := filepath.Join(filepath.Dir(b.dir()), string(orchestrator.NewChatID()))
	must(t, os.Symlink(elsewhere, link))
	b.write(b.dir()+".restoring/half.txt", "of a snapshot\n")

	b.sweep() // within their grace nothing goes but what was half restored
	if !there(string(clean.Dir)) || there(b.dir()+".restoring") {
		t.Errorf("clean %v, half restored %v", there(string(clean.Dir)), there(b.dir()+".restoring"))
	}
	b.age()
	done := b.sweep()
	for path, want := range map[string]bool{
		string(clean.Dir): false, string(dirty.Dir) + "/work.txt": true, string(spare.Dir): true, roots + "/mine.txt": true,
		filepath.Dir(b.dir()) + "/notes/n.txt": true, link: true, elsewhere + "/x.txt": true,
	} {
		if there(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	if list := b.git(b.root+"/repo", "worktree", "list"); strings.Contains(list, string(clean.Chat)) || !strings.Contains(list, string(dirty.Chat)) {
		t.Errorf("git lists\n%s", list)
	}
	if done.Counts[orchestrator.SweepHold] != 4 || done.Counts[orchestrator.SweepFail] != 0 {
		t.Errorf("%v", done.Counts)
	}
	b.git(b.root+"/repo", "cat-file", "-e", "refs/boo/chats/"+string(clean.Chat)+"/archive")
}

func TestALostWorktreeIsSaidToBeAndCanBeMended(t *testing.T) {
	b := newBroom(t)
	must(t, os.RemoveAll(b.dir()))
	if b.sweep(); b.state() != orchestrator.WorktreeLost {
		t.Fatalf("it is %s", b.state())
	}
	if _, err := b.engine.Repair(t.Context(), orchestrator.ChatRef{Prefix: string(b.wt.Chat)}); err != nil || b.state() != orchestrator.WorktreeActive {
		t.Errorf("mended it is %s: %v", b.state(), err)
	}
	if content, err := os.ReadFile(b.dir() + "/edit.txt"); string(content) != "staged, and more\n" {
		t.Errorf("%q, %v", content, err)
	}
	// With all of them gone nothing is: a disk is not mounted.
	must(t, os.Rename(b.root+"/worktrees", b.root+"/unmounted"))
	if done := b.sweep(); b.state() != orchestrator.WorktreeActive || done.Counts[orchestrator.SweepFail] == 0 {
		t.Errorf("it is %s: %v", b.state(), done.Counts)
	}
}

func TestWhatWasHalfMadeGoes(t *testing.T) {
	b := newBroom(t)
	half := b.orphan()
	turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: half.Chat, Agent: "goose", Prompt: "x", State: orchestrator.TurnQueued, Sent: time.Now()}
	half.State = orchestrator.WorktreeCreating
	_, err := b.db.Enqueue(t.Context(), turn, &orchestrator.NewChat{Chat: orchestrator.Chat{ID: half.Chat, Repo: half.Repo, Title: "x", State: orchestrator.ChatOpen}, Worktree: half})
	must(t, err)
	_, err = b.db.EndTurn(t.Context(), orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnFailed})
	must(t, err)
	b.age()
	b.sweep()
	if there(string(half.Dir)) || there(b.root+"/repo/.git/worktrees/"+string(half.Chat)) {
		t.Error("something is left of it")
	}
	if done := b.sweep(); done.Counts[orchestrator.SweepClear] != 0 {
		t.Errorf("a second time there is something to do: %+v", done.Steps)
	}
}

func TestTheBooksOfARepositoryAreKeptInOrder(t *testing.T) {
	b := newBroom(t)
	gone := b.orphan()
	must(t, os.RemoveAll(string(gone.Dir)))
	git := b.root + "/repo/.git"
	foreign := b.root + "/other/" + string(orchestrator.NewChatID())
	b.git(b.root+"/repo", "worktree", "add", "-q", "--detach", "--lock", "--reason", "boo chat "+filepath.Base(foreign), foreign)
	must(t, os.RemoveAll(foreign))
	head := strings.TrimSpace(b.git(b.root+"/repo", "rev-parse", "HEAD"))
	b.git(b.root+"/repo", "update-ref", "refs/boo/bases/"+head, head)
	b.write(git+"/refs/boo/chats/"+string(b.wt.Chat)+"/head.lock", "")
	b.write(git+"/refs/heads/mine.lock", "")
	b.age()
	b.write(git+"/refs/boo/young.lock", "")
	future := b.clock.now.Wall
	must(t, os.Chtimes(git+"/refs/boo/young.lock", future, future))
	b.sweep()
	for path, want := range map[string]bool{
		"worktrees/" + string(gone.Chat): false, "worktrees/" + filepath.Base(foreign): true, "refs/boo/bases/" + head: false,
		"refs/boo/chats/" + string(b.wt.Chat) + "/head.lock": false, "refs/heads/mine.lock": true, "refs/boo/young.lock": true,
	} {
		if there(git+"/"+path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestArchivesAreEndedUnlessSomethingWouldBeLost(t *testing.T) {
	b := newBroom(t)
	b.write(b.root+"/histories/"+string(b.wt.Chat)+"/goose.txt", "said\n")
	b.age()
	b.sweep()
	b.git(b.root+"/repo", "branch", "-D", "kept")
	b.clock.pass(31 * 24 * time.Hour)
	if done := b.sweep(); b.state() != orchestrator.WorktreeArchived || done.Counts[orchestrator.SweepHold] != 1 {
		t.Fatalf("with commits that are nowhere else it is %s: %v", b.state(), done.Counts)
	}
	head := strings.TrimSpace(b.git(b.root+"/repo", "rev-parse", "refs/boo/chats/"+string(b.wt.Chat)+"/worktree-head"))
	b.git(b.root+"/repo", "branch", "kept", head)
	b.age()
	if b.sweep(); b.state() != orchestrator.WorktreePurged {
		t.Errorf("with a branch it is %s", b.state())
	}
	if refs := b.git(b.root+"/repo", "for-each-ref", "refs/boo/chats"); refs != "" {
		t.Errorf("left are\n%s", refs)
	}
	if there(b.root + "/histories/" + string(b.wt.Chat)) {
		t.Error("its history is there")
	}
}

func TestTheClockThatLeapsTakesNothing(t *testing.T) {
	b := newBroom(t)
	b.sweep()
	b.clock.pass(time.Minute)
	b.clock.set(365 * 24 * time.Hour)
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Fatalf("after a leap it is %s", b.state())
	}
	b.clock.pass(2 * time.Hour)
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Errorf("two hours later it is %s", b.state())
	}
	b.clock.set(-400 * 24 * time.Hour)
	b.sweep()
	b.clock.pass(time.Minute)
	b.clock.set(400 * 24 * time.Hour)
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Errorf("its archive is %s", b.state())
	}
}

func TestTheOldestArchiveMakesRoom(t *testing.T) {
	w := newWorld(t)
	must(t, w.settled())
	rules := reaper.DefaultRules()
	rules.Disk = 1 << 20
	b := w.broom(rules)
	b.age()
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Fatalf("it is %s", b.state())
	}
	size := orchestrator.TreeSize{TreeUsage: orchestrator.TreeUsage{Bytes: 1 << 30, Snapshots: 1 << 19}, Measured: b.clock.now.Wall}
	must(t, b.db.PutSize(t.Context(), b.wt.Chat, size)) // its files are off the disk
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Fatalf("though it fits it is %s", b.state())
	}
	size.Snapshots = 2 << 20
	must(t, b.db.PutSize(t.Context(), b.wt.Chat, size))
	if b.sweep(); b.state() != orchestrator.WorktreePurged {
		t.Errorf("without room it is %s", b.state())
	}
}
