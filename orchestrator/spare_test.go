package orchestrator_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// spares waits until the spares are as wanted, and lists them. They are looked
// after in the background.
func (w *world) spares(wanted func([]orchestrator.Spare) bool) []orchestrator.Spare {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; {
		list, err := w.full.Spares(w.t.Context())
		w.check(err)
		if wanted(list) {
			return list
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("spares %+v", list)
		}
		<-tick.C
	}
}

// spare waits until there is one that is ready, and no other.
func (w *world) spare(but ...orchestrator.ChatID) orchestrator.Spare {
	w.t.Helper()
	return w.spares(func(list []orchestrator.Spare) bool {
		return len(list) == 1 && list[0].State == orchestrator.SpareReady && !slices.Contains(but, list[0].Chat)
	})[0]
}

func newChat(req *orchestrator.SendRequest) { req.New = true }

func withSpares(t *testing.T) *world {
	w := newWorld(t)
	w.Spares = 1
	return w
}

func TestANewChatTakesTheSpare(t *testing.T) {
	w := withSpares(t)
	w.turn("one", "say one")
	spare := w.spare()
	dir := filepath.Join(w.data, "worktrees", string(spare.Repo), string(spare.Chat))
	was, err := os.Stat(filepath.Join(dir, "story.txt"))
	w.check(err)
	sent := w.send("one", "write a.txt A", newChat)
	if sent.Chat != spare.Chat {
		t.Fatalf("the chat is %s, the spare %s", sent.Chat, spare.Chat)
	}
	if h := w.follow(sent.Turn, nil); h.state != orchestrator.TurnCompleted {
		t.Fatalf("the turn ended as %s: %s", h.state, h.reason)
	}
	now, err := os.Stat(w.tree("story.txt"))
	if err != nil || !os.SameFile(was, now) {
		t.Errorf("the spare was not used: %v", err)
	}
	w.spare(sent.Chat)
	if list, err := w.WorktreeList(t.Context(), w.repo, false); err != nil || len(list) != 2 {
		t.Errorf("worktrees %+v, %v", list, err)
	}
}

func TestASpareIsTakenToTheCommitThatIsWanted(t *testing.T) {
	w := withSpares(t)
	w.turn("one", "say one")
	old := w.spare()
	w.write("story.txt", "one\n")
	w.git("commit", "-q", "-a", "-m", "shorter")
	head := strings.TrimSpace(w.git("rev-parse", "HEAD"))

	w.turn("one", "say two") // in the chat that is there
	w.spares(func(list []orchestrator.Spare) bool {
		return len(list) == 1 && list[0].State == orchestrator.SpareReady && list[0].Chat == old.Chat && string(list[0].Base) == head
	})

	w.write("story.txt", "none\n")
	w.git("commit", "-q", "-a", "-m", "other")
	sent := w.send("one", "say three", newChat)
	w.follow(sent.Turn, nil)
	content, err := os.ReadFile(w.tree("story.txt"))
	if err != nil || string(content) != "none\n" || sent.Chat != old.Chat {
		t.Errorf("chat %s with %q, %v", sent.Chat, content, err)
	}
}

func TestASpareFollowsHeadWithoutATurn(t *testing.T) {
	w := withSpares(t)
	w.FollowHeads(time.Millisecond)
	w.turn("one", "say one")
	old := w.spare()
	for _, content := range []string{"one\n", "two\n"} {
		w.write("story.txt", content)
		w.git("commit", "-q", "-a", "-m", "other")
		head := strings.TrimSpace(w.git("rev-parse", "HEAD"))
		w.spares(func(list []orchestrator.Spare) bool {
			return len(list) == 1 && list[0].State == orchestrator.SpareReady && list[0].Chat == old.Chat && string(list[0].Base) == head
		})
	}
}

func TestWhatWasHalfMadeIsClearedAway(t *testing.T) {
	w := withSpares(t)
	w.turn("one", "say one")
	s := w.spare()
	dir := filepath.Join(w.data, "worktrees", string(s.Repo), string(s.Chat))
	w.check(w.full.MoveSpare(t.Context(), s.Chat, orchestrator.SpareMaking, s.Base)) // and boo died
	sent := w.send("one", "say two", newChat)
	if sent.Chat == s.Chat {
		t.Error("a spare in the making was taken")
	}
	w.follow(sent.Turn, nil)
	w.spare(s.Chat)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if refs := w.git("for-each-ref", "refs/boo/chats/"+string(s.Chat)); refs != "" {
		t.Errorf("refs are left: %s", refs)
	}
}

func TestSparesOfRepositoriesOutOfUseGo(t *testing.T) {
	w := withSpares(t)
	w.turn("one", "say one")
	s := w.spare()
	w.check(w.Close())
	later := w.open()
	defer later.Close()
	later.Spares = 1
	later.Now = func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }
	w.check(later.KeepSpares(t.Context()))
	w.spares(func(list []orchestrator.Spare) bool { return len(list) == 0 })
	if _, err := os.Stat(filepath.Join(w.data, "worktrees", string(s.Repo), string(s.Chat))); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestAnEngineThatEndsDoesNotWaitForASpare(t *testing.T) {
	w := withSpares(t)
	w.turn("one", "say one")
	w.check(w.Close()) // whatever it has come to
	again := w.open()
	again.Spares = 1
	defer again.Close()
	w.Engine = again
	w.check(again.KeepSpares(t.Context()))
	w.turn("one", "say two")
	w.spare()
}
