package orchestrator_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
)

func (w *world) ref() orchestrator.ChatRef { return orchestrator.ChatRef{Dir: w.repo} }

func (w *world) wantCode(want orchestrator.Code, err error) {
	w.t.Helper()
	if err == nil || orchestrator.CodeOf(err) != want {
		w.t.Fatalf("got %v, want %s", err, want)
	}
}

func (w *world) state() (orchestrator.ChatState, orchestrator.WorktreeState) {
	w.t.Helper()
	c, err := w.Chat(w.t.Context(), w.ref())
	w.check(err)
	return c.State, c.Worktree.State
}

func TestAClosedChatGoesOnWhereItWas(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON;;write note.txt with kept")
	note := w.tree("note.txt")
	id := w.session("one").Chat
	done, err := w.CloseChat(t.Context(), w.ref(), orchestrator.CloseOptions{})
	w.wantCode(orchestrator.CodeAtRisk, err)
	if hint := orchestrator.HintOf(err); !strings.Contains(hint, "boo chat close --force "+string(id)) || done.Worktree.Verdict.State != orchestrator.RiskAtRisk {
		t.Errorf("%q, %+v", hint, done.Worktree)
	}
	if chat, tree := w.state(); chat != orchestrator.ChatOpen || tree != orchestrator.WorktreeActive {
		t.Fatalf("refused, and the chat is %s, its worktree %s", chat, tree)
	}
	_, err = w.CloseChat(t.Context(), w.ref(), orchestrator.CloseOptions{Force: true})
	w.check(err)
	if chat, tree := w.state(); chat != orchestrator.ChatClosed || tree != orchestrator.WorktreeArchived {
		t.Fatalf("the chat is %s, its worktree %s", chat, tree)
	}
	if s := w.session("one"); s.State != orchestrator.SessionClosed || len(w.pool.Live()) > 0 {
		t.Errorf("the session is %s, alive: %v", s.State, w.pool.Live())
	}
	if _, err := os.Stat(note); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
	again, err := w.CloseChat(t.Context(), w.ref(), orchestrator.CloseOptions{})
	if w.check(err); !again.Already {
		t.Errorf("a second time: %+v", again)
	}
	opened, err := w.ReopenChat(t.Context(), w.ref())
	if w.check(err); opened.Already || opened.Chat != id {
		t.Errorf("opened %+v", opened)
	}
	h := w.turn("one", "recall")
	if got, err := os.ReadFile(note); h.summary().Rung != orchestrator.RungResumed || !strings.Contains(h.text(), "HERON") || string(got) != "kept" && string(got) != "kept\n" {
		t.Errorf("session %s, answer %q, file %q, %v", h.summary().Rung, h.text(), got, err)
	}
}

func TestAChatWithATurnIsNotClosed(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say hello")
	sent := w.send("one", "hang")
	_, err := w.CloseChat(t.Context(), w.ref(), orchestrator.CloseOptions{Force: true})
	w.wantCode(orchestrator.CodeBusy, err)
	if hint := orchestrator.HintOf(err); hint != "boo chat stop --all "+string(sent.Chat) {
		t.Errorf("hint %q", hint)
	}
	w.check(w.Stop(t.Context(), sent.Turn, true))
	w.follow(sent.Turn, nil)
	_, err = w.CloseChat(t.Context(), w.ref(), orchestrator.CloseOptions{KeepWorktree: true})
	w.check(err)
	if chat, tree := w.state(); chat != orchestrator.ChatClosed || tree != orchestrator.WorktreeActive {
		t.Fatalf("the chat is %s, its worktree %s", chat, tree)
	}
	next := w.send("one", "say new")
	if h := w.follow(next.Turn, nil); !next.NewChat || !strings.Contains(h.events[1].Text, "is closed, so this is a new one") {
		t.Errorf("who names no chat goes on with %+v: %+v", next, h.events[1])
	}
	h := w.follow(w.send("one", "say again", func(r *orchestrator.SendRequest) { r.Ref.Prefix = string(sent.Chat) }).Turn, nil)
	if h.state != orchestrator.TurnCompleted || !strings.Contains(h.events[1].Text, "the chat was closed; it is open again") {
		t.Errorf("%s: %+v", h.state, h.events[1])
	}
}

func TestAClosingThatWasCutOffIsSettled(t *testing.T) {
	for _, archived := range []bool{false, true} {
		w := newWorld(t)
		w.turn("one", "say hello")
		id := w.session("one").Chat
		w.check(w.full.MoveChat(t.Context(), orchestrator.ChatMove{Chat: id, From: []orchestrator.ChatState{orchestrator.ChatOpen}, To: orchestrator.ChatClosing}))
		want := orchestrator.ChatOpen
		if archived {
			_, err := w.Archive(t.Context(), w.ref(), false)
			w.check(err)
			want = orchestrator.ChatClosed
		}
		settled, err := w.Recover(t.Context())
		w.check(err)
		if chat, _ := w.state(); chat != want || len(settled) != 1 || settled[0].Chat != id {
			t.Errorf("archived %v: the chat is %s; %+v", archived, chat, settled)
		}
	}
}

func TestARemovedChatIsHiddenAndComesBackWithItsHistory(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	ref := orchestrator.ChatRef{Dir: w.repo, Prefix: string(w.session("one").Chat)}
	native := w.session("one").NativeID
	done, err := w.RemoveChat(t.Context(), ref, orchestrator.CloseOptions{})
	w.check(err)
	if len(done.Sessions) != 1 || !done.Sessions[0].Deleted {
		t.Errorf("removed %+v", done)
	}
	if list, err := w.Chats(t.Context(), orchestrator.ChatsRequest{Dir: w.repo}); err != nil || len(list) != 0 {
		t.Errorf("shown: %+v, %v", list, err)
	}
	if list, err := w.Chats(t.Context(), orchestrator.ChatsRequest{All: true}); err != nil || len(list) != 1 || list[0].State != orchestrator.ChatArchived {
		t.Errorf("all: %+v, %v", list, err)
	}
	if again, err := w.RemoveChat(t.Context(), ref, orchestrator.CloseOptions{}); err != nil || !again.Already {
		t.Errorf("again: %+v, %v", again, err)
	}
	_, err = w.ReopenChat(t.Context(), ref)
	w.check(err)
	h := w.turn("one", "recall")
	if h.summary().Rung != orchestrator.RungHistory || !strings.Contains(h.text(), "HERON") || w.session("one").NativeID == native {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}
