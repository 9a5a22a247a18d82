package orchestrator_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
)

func withKey(key string) func(*orchestrator.SendRequest) {
	return func(r *orchestrator.SendRequest) { r.Key = key }
}

func inChat(chat orchestrator.ChatID) func(*orchestrator.SendRequest) {
	return func(r *orchestrator.SendRequest) { r.Ref.Prefix = string(chat) }
}

func inNewChat(r *orchestrator.SendRequest) { r.New = true }

func TestAPromptWithAKeyIsSentOnce(t *testing.T) {
	w := newWorld(t)
	const prompt = "run echo once >> count.txt;;say done"
	first := w.send("one", prompt, withKey("job 7"), inNewChat)
	w.follow(first.Turn, nil)
	again := w.send("one", prompt, withKey("job 7"), inNewChat)
	if !again.Repeated || again.Turn != first.Turn || again.Chat != first.Chat || again.NewChat || again.Dir != first.Dir {
		t.Errorf("sent %+v, then %+v", first, again)
	}
	if h := w.follow(again.Turn, nil); h.text() != "done\n" {
		t.Errorf("it is answered %q", h.text())
	}
	if got := w.readTree("count.txt"); got != "once\n" {
		t.Errorf("the file holds %q", got)
	}
	for what, change := range map[string]func(*orchestrator.SendRequest){
		"another prompt": func(r *orchestrator.SendRequest) { r.Prompt = "say x" },
		"another agent":  func(r *orchestrator.SendRequest) { r.Agent = "two" },
		"control":        withKey("a\nb"),
	} {
		req := orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Prompt: prompt, Key: "job 7"}
		change(&req)
		if _, err := w.Send(t.Context(), req); orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	other := w.send("one", prompt, inNewChat)
	if key := w.send("one", "say fine", withKey("job 7"), inChat(other.Chat)); key.Repeated {
		t.Error("a key counts in a chat that was named, and was not used there")
	}
}

func TestOneOfManyThatSendWithAKeyIsTheOne(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var turns []orchestrator.TurnID
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			sent, err := w.Send(t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, New: true, Prompt: "say hi", Key: "k"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			turns = append(turns, sent.Turn)
		})
	}
	all.Wait()
	if slices.Sort(turns); len(slices.Compact(turns)) != 1 {
		t.Errorf("turns %v", turns)
	}
	w.follow(turns[0], nil)
}

func TestATurnIsRepeatedOnRequestOnly(t *testing.T) {
	w := newWorld(t)
	done := w.send("one", "run echo x >> count.txt")
	w.follow(done.Turn, nil)
	retry := func(turn orchestrator.TurnID, force bool) (orchestrator.Sent, error) {
		return w.Send(t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Retry: turn, Force: force})
	}
	if _, err := retry(done.Turn, false); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk || !strings.Contains(orchestrator.HintOf(err), "--force") {
		t.Errorf("a completed turn: %v", err)
	}
	if _, err := retry("t00000000z", false); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a turn that is not there: %v", err)
	}
	again, err := retry(done.Turn, true)
	w.check(err)
	w.follow(again.Turn, nil)
	if turn, err := w.full.Turn(t.Context(), again.Turn); err != nil || turn.RetryOf != done.Turn || again.Chat != done.Chat || w.readTree("count.txt") != "x\nx\n" {
		t.Errorf("repeated as %+v, %v", turn, err)
	}
	failed := w.send("one", "fail -32603 the model is gone")
	w.follow(failed.Turn, nil)
	again, err = retry(failed.Turn, false)
	w.check(err)
	if h := w.follow(again.Turn, nil); h.state != orchestrator.TurnFailed {
		t.Errorf("ended as %s", h.state)
	}
}

func TestAHaltedTurnIsGoneOnWithOnRequest(t *testing.T) {
	w := newWorld(t)
	resume := func(r *orchestrator.SendRequest) { r.ResumeHalted, r.Prompt = true, "" }
	w.turn("one", "say hi")
	if _, err := w.Send(t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, ResumeHalted: true}); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("after a completed turn: %v", err)
	}
	limit := func(r *orchestrator.SendRequest) { r.Limits.Calls = 1 }
	halted := w.follow(w.send("two", "run true;;run true;;hang", limit).Turn, nil)
	if hint := halted.events[len(halted.events)-1].Hint; halted.state != orchestrator.TurnHalted || !strings.Contains(hint, "--resume-halted") {
		t.Errorf("ended as %s, hint %q", halted.state, hint)
	}
	sent := w.send("", "", resume)
	if sent.Agent != "two" {
		t.Errorf("%s goes on", sent.Agent)
	}
	if h := w.follow(sent.Turn, nil); h.state != orchestrator.TurnCompleted {
		t.Errorf("ended as %s: %s", h.state, h.reason)
	}
}

// readTree returns the content of a file in the worktree of the chat last used.
func (w *world) readTree(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.tree(name))
	w.check(err)
	return string(text)
}
