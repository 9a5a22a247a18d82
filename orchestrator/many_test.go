package orchestrator_test

import (
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestManyPromptsAreSentTogetherAndTakenInOrder(t *testing.T) {
	w := newWorld(t)
	more := func(prompts ...string) func(*orchestrator.SendRequest) {
		return func(r *orchestrator.SendRequest) { r.More = prompts }
	}
	sent := w.send("one", "run echo 1 >>order.txt", more("run echo 2 >>order.txt", "run echo 3 >>order.txt"))
	for _, turn := range append([]orchestrator.TurnID{sent.Turn}, sent.More...) {
		if h := w.follow(turn, nil); h.state != orchestrator.TurnCompleted {
			t.Fatalf("%s: %s", h.state, h.reason)
		}
	}
	got, err := os.ReadFile(w.tree("order.txt"))
	w.check(err)
	if string(got) != "1\n2\n3\n" || len(sent.More) != 2 {
		t.Errorf("order %q, sent %+v", got, sent)
	}
	for _, bad := range [][]string{{"say fine", ""}, {"say \xff"}, make([]string, orchestrator.MaxPrompts)} {
		req := orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Prompt: "say hello", More: bad}
		if _, err := w.Send(t.Context(), req); orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%d more: %v", len(bad), err)
		}
	}
	d, err := w.Chat(t.Context(), orchestrator.ChatRef{Dir: w.repo})
	w.check(err)
	if len(d.TurnList) != 3 {
		t.Errorf("%d turns, after requests of which nothing was to be sent", len(d.TurnList))
	}
}
