package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestNoWorktreeIsMadeOfTheLastOfTheDisk(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "say one")
	w.follow(first.Turn, nil)
	if _, err := w.WorktreeList(t.Context(), w.repo, false); err != nil { // it is measured then
		t.Fatal(err)
	}
	w.MinFree, w.Free = 1000, func(string) (int64, error) { return 999, nil }
	_, err := w.Send(t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, New: true, Agent: "one", Prompt: "say two"})
	if orchestrator.CodeOf(err) != orchestrator.CodeFull || !strings.Contains(err.Error(), "what could go: chat "+string(first.Chat)+" (") ||
		orchestrator.HintOf(err) != "boo worktree archive "+string(first.Chat) {
		t.Errorf("it says %v; try %s", err, orchestrator.HintOf(err))
	}
	if refs := w.git("for-each-ref", "refs/boo/bases"); refs != "" {
		t.Errorf("something was made: %s", refs)
	}
	if list, err := w.Chats(t.Context(), orchestrator.ChatsRequest{All: true}); err != nil || len(list) != 1 {
		t.Errorf("chats %+v, %v", list, err)
	}
	w.turn("one", "say three") // the worktree that is there goes on

	w.MinFree = 999
	w.follow(w.send("one", "say four", newChat).Turn, nil)
}

func TestBytesAreTold(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 2 << 30: "2.0 GiB", 5 << 50: "5120.0 TiB"} {
		if got := orchestrator.Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
