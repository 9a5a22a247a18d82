package reaper_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

func TestAClosedWorktreeGoesAfterItsGraceAndComesBack(t *testing.T) {
	b := newBroom(t)
	before := b.all()
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Fatalf("at once it is %s", b.state())
	}
	b.clock.pass(59 * time.Minute)
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Fatalf("within its grace it is %s", b.state())
	}
	b.clock.pass(10 * time.Minute)
	if done := b.sweep(); b.state() != orchestrator.WorktreeArchived || done.Counts[orchestrator.SweepArchive] != 1 {
		t.Fatalf("after that it is %s: %v", b.state(), done.Counts)
	}
	must(t, b.do(t.Context(), "restore", b.wt.Chat))
	b.same(before)
}

func (b *broom) age() { b.clock.pass(2 * time.Hour) }

// worktree is where the files are.
func (b *broom) dir() string { return string(b.wt.Dir) }

func TestWhatIsAtRiskIsHeldAndSaidOnce(t *testing.T) {
	b := newBroom(t)
	b.write(b.dir()+"/late.txt", "nobody has seen this\n")
	b.age()
	if done := b.sweep(); done.Counts[orchestrator.SweepHold] != 1 || len(done.Steps) != 1 || !strings.Contains(done.Steps[0].Reason, "kept: 1 new file in no snapshot yet: late.txt") {
		t.Fatalf("%+v", done)
	}
	b.clock.pass(time.Minute)
	if done := b.sweep(); done.Counts[orchestrator.SweepHold] != 1 || len(done.Steps) != 0 {
		t.Errorf("a minute later: %+v", done)
	}
	status, err := b.engine.ReaperStatus(t.Context())
	must(t, err)
	if len(status.Held) != 1 || status.Held[0].Name != string(b.wt.Chat) || status.Held[0].Checks != 1 || status.Last == nil {
		t.Errorf("%+v", status)
	}
	must(t, os.Remove(b.dir()+"/late.txt"))
	b.age()
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Errorf("without it, it is %s", b.state())
	}
	if status, err = b.engine.ReaperStatus(t.Context()); err != nil || len(status.Held) != 0 || status.Archived != 1 || status.Freed == 0 {
		t.Errorf("%+v, %v", status, err)
	}
	log, err := b.engine.ReaperLog(t.Context(), orchestrator.ChatRef{Prefix: string(b.wt.Chat)}, 10)
	if must(t, err); len(log) != 2 || log[0].Action != orchestrator.SweepHold || log[1].Action != orchestrator.SweepArchive {
		t.Errorf("%+v", log)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	b := newBroom(t)
	b.age()
	done := b.sweep(orchestrator.SweepRequest{DryRun: true})
	if b.state() != orchestrator.WorktreeActive || done.Counts[orchestrator.SweepArchive] != 1 || done.ID != 0 {
		t.Errorf("%s, %+v", b.state(), done)
	}
	if status, err := b.engine.ReaperStatus(t.Context()); err != nil || status.Last != nil {
		t.Errorf("%+v, %v", status, err)
	}
}

func TestAnEditDeepInsideIsAUse(t *testing.T) {
	b := newBroom(t)
	b.age()
	b.write(b.dir()+"/build/out.o", "\x00built again") // ignored, and the directory above has its old time
	future := b.clock.now.Wall
	must(t, os.Chtimes(b.dir()+"/build/out.o", future, future))
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Errorf("it is %s", b.state())
	}
}

func TestWhatHappensInTheMiddleOfASweepIsNotLost(t *testing.T) {
	for name, c := range map[string]struct {
		step string
		do   func(b *broom)
		want orchestrator.WorktreeState
	}{
		"an edit before it is judged": {"judge", func(b *broom) { b.write(b.dir()+"/edit.txt", "slipped in\n") }, orchestrator.WorktreeActive},
		"an edit after it was judged": {"retire", func(b *broom) { b.write(b.dir()+"/edit.txt", "slipped in\n") }, orchestrator.WorktreeActive},
		"a commit": {"retire", func(b *broom) {
			b.git(b.dir(), "add", "-A")
			b.git(b.dir(), "commit", "-q", "-m", "slipped in")
		}, orchestrator.WorktreeActive},
		"a turn": {"retire", func(b *broom) {
			turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: b.wt.Chat, Agent: "goose", Prompt: "y", State: orchestrator.TurnQueued, Sent: time.Now()}
			_, err := b.db.Enqueue(b.t.Context(), turn, nil)
			must(b.t, err)
		}, orchestrator.WorktreeActive},
		"a turn that holds the chat": {"retire", func(b *broom) {
			release, free, err := b.sweeper.Locks.TryLock(orchestrator.ChatLock(b.wt.Chat))
			if must(b.t, err); free {
				b.t.Cleanup(release)
			}
		}, orchestrator.WorktreeActive},
		"another directory in its place": {"retire", func(b *broom) {
			must(b.t, os.Rename(b.dir(), b.dir()+"-"))
			must(b.t, os.CopyFS(b.dir(), os.DirFS(b.dir()+"-")))
		}, orchestrator.WorktreeActive},
		"a link in its place": {"retire", func(b *broom) {
			must(b.t, os.Rename(b.dir(), b.root+"/elsewhere"))
			must(b.t, os.Symlink(b.root+"/elsewhere", b.dir()))
		}, orchestrator.WorktreeActive},
		"git worktree prune": {"retire", func(b *broom) { b.git(b.root+"/repo", "worktree", "prune", "--expire=now") }, orchestrator.WorktreeArchived},
		"git gc":             {"retire", func(b *broom) { b.git(b.root+"/repo", "gc", "-q", "--prune=now") }, orchestrator.WorktreeArchived},
		"another sweep": {"retire", func(b *broom) {
			if _, err := b.engine.Sweep(b.t.Context(), orchestrator.SweepRequest{}); orchestrator.CodeOf(err) != orchestrator.CodeBusy {
				b.t.Errorf("a second sweep: %v", err)
			}
		}, orchestrator.WorktreeArchived},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroom(t)
			b.age()
			done := false
			b.sweeper.OnStep(func(step string) {
				if step == c.step && !done {
					done = true
					c.do(b)
				}
			})
			if b.sweep(); b.state() != c.want || !done {
				t.Errorf("it is %s, want %s (%v)", b.state(), c.want, done)
			}
			if _, err := os.Stat(b.dir() + "/edit.txt"); c.want == orchestrator.WorktreeActive && err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatStandsInItsPlaceIsToldAsTheReason(t *testing.T) {
	b := newBroom(t)
	b.age()
	must(t, os.Rename(b.dir(), b.root+"/elsewhere"))
	must(t, os.Symlink(b.root+"/elsewhere", b.dir()))
	done := b.sweep()
	if n := len(done.Steps); n != 1 || !strings.Contains(done.Steps[0].Reason, "a symlink stands in its place") {
		t.Errorf("%+v", done.Steps)
	}
}

// Its next turn is to begin where the last one ended, however long that is ago.
func TestTheArchiveOfAnOpenChatDoesNotEnd(t *testing.T) {
	b := newBroom(t)
	before := b.all()
	b.age()
	b.sweep()
	ref := orchestrator.ChatRef{Prefix: string(b.wt.Chat)}
	_, err := b.engine.ReopenChat(t.Context(), ref)
	must(t, err)
	b.sweeper.Rules.Disk = 1
	b.clock.pass(years)
	if b.sweep(); b.state() != orchestrator.WorktreeArchived {
		t.Fatalf("years later it is %s", b.state())
	}
	must(t, b.do(t.Context(), "restore", b.wt.Chat))
	b.same(before)
}

func TestToRemoveAnArchivedChatTakesConsentWhereItsWorkIsNowhereElse(t *testing.T) {
	b := newBroom(t)
	b.age()
	b.sweep()
	b.git(b.root+"/repo", "branch", "-D", "kept")
	ref := orchestrator.ChatRef{Prefix: string(b.wt.Chat)}
	done, err := b.engine.RemoveChat(t.Context(), ref, orchestrator.CloseOptions{})
	if orchestrator.CodeOf(err) != orchestrator.CodeAtRisk || done.Worktree == nil || done.Worktree.Verdict.Risks[0].Kind != orchestrator.RiskUnpushed {
		t.Fatalf("%+v, %v", done, err)
	}
	_, err = b.engine.RemoveChat(t.Context(), ref, orchestrator.CloseOptions{Force: true})
	must(t, err)
	if chat, err := b.db.Chat(t.Context(), b.wt.Chat); err != nil || chat.State != orchestrator.ChatArchived {
		t.Errorf("%+v, %v", chat, err)
	}
}

// A store that was put back, or lost, knows nothing of some chats. What their refs
// hold stays; what only boo's git needed goes.
func TestPrivateFilesOfNobodyGo(t *testing.T) {
	b := newBroom(t)
	stray := b.root + "/git/chats/c0000stray"
	b.write(stray+"/git/HEAD", "x\n")
	if b.sweep(); !there(stray) {
		t.Fatal("they went at once")
	}
	b.age()
	b.sweep()
	if there(stray) || !there(b.root+"/git/chats/"+string(b.wt.Chat)) {
		t.Errorf("they are there: %v, and those of a chat: %v", there(stray), there(b.root+"/git/chats/"+string(b.wt.Chat)))
	}
}
