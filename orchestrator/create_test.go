package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAChatWithANameTakesPromptsByIt(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say first")
	made, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "Nightly", Agent: "two"})
	w.check(err)
	if made.Name != "nightly" || made.Turns != 0 || made.Agent != "two" || made.Kind != orchestrator.KindChat || made.Title != "" {
		t.Fatalf("made %+v", made)
	}
	sent := w.send("", "write a.txt with text", func(r *orchestrator.SendRequest) { r.Ref.Prefix = "nightly" })
	if h := w.follow(sent.Turn, nil); sent.Chat != made.ID || sent.Agent != "two" || h.state != orchestrator.TurnCompleted {
		t.Fatalf("sent %+v, ended as %s: %s", sent, h.state, h.reason)
	}
	d, err := w.Chat(t.Context(), orchestrator.ChatRef{Dir: w.repo, Prefix: "NIGHTLY"})
	w.check(err)
	if d.ID != made.ID || d.Title != "write a.txt with text" || d.Pending != 1 {
		t.Errorf("the chat is %+v", d)
	}
	_, err = w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "modelled", Agent: "two", Model: "m7"})
	w.check(err)
	sent = w.send("", "say hello", func(r *orchestrator.SendRequest) { r.Ref.Prefix = "modelled" })
	if h := w.follow(sent.Turn, nil); !strings.Contains(h.reason, "cannot be told which model") { // of the scripted agent
		t.Errorf("with a model: %s: %s", h.state, h.reason)
	}
	if _, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "nightly"}); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("a name that is taken: %v", err)
	}
}

func TestANameThatCouldBeAnIDToo(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "say hello").Chat
	name := string(first)[:6]
	ref := orchestrator.ChatRef{Dir: w.repo, Prefix: name}
	made, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: name})
	w.check(err)
	_, err = w.Chat(t.Context(), ref)
	if orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), string(first)) || !strings.Contains(err.Error(), string(made.ID)+" ("+name+")") {
		t.Errorf("both are meant: %v", err)
	}
	d, err := w.Chat(t.Context(), orchestrator.ChatRef{Dir: w.repo, Prefix: string(made.ID)})
	if d.ID != made.ID || err != nil {
		t.Errorf("by its id: %v, %v", d.ID, err)
	}
}

func TestNamesAreThoseOfARepository(t *testing.T) {
	w := newWorld(t)
	_, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "nightly"})
	w.check(err)
	here, ref := w.repo, orchestrator.ChatRef{Prefix: "nightly"}
	w.repo = t.TempDir()
	w.git("init", "-q", "-b", "main")
	w.git("commit", "-q", "--allow-empty", "-m", "base")
	ref.Dir = w.repo
	if _, err := w.Chat(t.Context(), ref); orchestrator.CodeOf(err) != orchestrator.CodeNotFound || !strings.Contains(err.Error(), here) {
		t.Errorf("from another repository: %v", err)
	}
	other, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "nightly"})
	w.check(err)
	if d, err := w.Chat(t.Context(), ref); d.ID != other.ID || err != nil {
		t.Errorf("the name is %v, %v", d.ID, err)
	}
	ref.Dir = t.TempDir()
	if _, err := w.Chat(t.Context(), ref); orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), "(nightly)") {
		t.Errorf("from nowhere: %v", err)
	}
}

// A removed chat is found by its name, and has it again when it is open, unless
// another has taken it.
func TestARemovedChatLeavesItsNameToAnother(t *testing.T) {
	w := newWorld(t)
	create := func() orchestrator.ChatID {
		made, err := w.CreateChat(t.Context(), orchestrator.CreateRequest{Dir: w.repo, Name: "nightly"})
		w.check(err)
		return made.ID
	}
	ref := func(called string) orchestrator.ChatRef { return orchestrator.ChatRef{Dir: w.repo, Prefix: called} }
	remove := func(called string) {
		_, err := w.RemoveChat(t.Context(), ref(called), orchestrator.CloseOptions{})
		w.check(err)
	}
	first := create()
	remove("nightly")
	if done, err := w.ReopenChat(t.Context(), ref("nightly")); err != nil || done.Chat != first {
		t.Fatalf("reopened %+v, %v", done, err)
	}
	remove("nightly")
	second := create()
	if d, err := w.Chat(t.Context(), ref("nightly")); err != nil || d.ID != second {
		t.Fatalf("the name is that of %s, %v", d.ID, err)
	}
	_, err := w.ReopenChat(t.Context(), ref(string(first)))
	w.check(err)
	if d, err := w.Chat(t.Context(), ref(string(first))); err != nil || d.Name != "" || d.State != orchestrator.ChatOpen {
		t.Errorf("the first is %+v, %v", d, err)
	}
}
