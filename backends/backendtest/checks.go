package backendtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
)

func checkKnowsItsAgents(t *testing.T, s Subject) {
	if err := s.Agents.Check(t.Context(), s.Agent, nil); err != nil {
		t.Errorf("%s: %v", s.Agent, err)
	}
	if err := s.Agents.Check(t.Context(), "no-such-agent", nil); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("an agent that is none: %v", err)
	}
}

func newSessionAnswers(t *testing.T, v *visit) {
	info := v.Info()
	if info.Rung != orchestrator.RungNew || info.NativeID == "" || info.Protocol == "" || info.Version == "" {
		t.Errorf("session: %+v", info)
	}
	o := v.turn(t, "think hm ;; say hello there")
	if o.result.Stop != "end_turn" || !strings.Contains(o.said(), "hello there") {
		t.Errorf("ended with %q, said %q", o.result.Stop, o.said())
	}
	if o.result.Usage.Input == 0 || o.result.Usage.Output == 0 {
		t.Errorf("usage: %+v", o.result.Usage)
	}
}

func nothingIsSentAgainstOurWill(t *testing.T, v *visit) {
	no := errors.New("not on disk")
	_, err := v.Prompt(t.Context(), []string{"remember plum"}, func() error { return no }, func(orchestrator.Event) {})
	if !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if o := v.turn(t, "recall"); !strings.Contains(o.said(), "remember nothing") {
		t.Errorf("the agent knows what was not sent: %q", o.said())
	}
}

func filesAreWritten(t *testing.T, v *visit) {
	o := v.turn(t, "write a.txt with one ;; edit a.txt replace one by two ;; run cp a.txt b.txt ;; say ready")
	for _, name := range []string{"a.txt", "b.txt"} {
		if got, err := os.ReadFile(filepath.Join(v.dir, name)); err != nil || string(got) != "two\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if len(o.tools) != 3 {
		t.Errorf("tool calls: %+v", o.tools)
	}
	for _, call := range o.tools {
		// On a machine that does much else qwen can take the end of a quick command's
		// terminal for a failure of the command, which has done its work.
		done := call.Status == "completed" || call.Status == "failed" && call.Kind == "execute"
		if !done || call.Title == "" {
			t.Errorf("tool call: %+v", call)
		}
	}
	if !strings.Contains(o.said(), "ready") {
		t.Errorf("said %q", o.said())
	}
}

func warmSessionRemembers(t *testing.T, v *visit) {
	v.turn(t, "remember plum")
	o := v.turn(t, "recall")
	if !strings.Contains(o.said(), "remember plum") {
		t.Errorf("said %q", o.said())
	}
}

func newProcessRemembers(t *testing.T, s Subject, first *visit) {
	first.turn(t, "remember pear ;; say unheard-of")
	first.leave(t)
	second := begin(t, s, first.dir, first.Info().NativeID, first.turns)
	if info := second.Info(); info.Rung != orchestrator.RungResumed || info.NativeID != first.Info().NativeID {
		t.Errorf("session: %+v", info)
	}
	o := second.turn(t, "recall")
	if !strings.Contains(o.said(), "remember pear") {
		t.Errorf("said %q", o.said())
	}
	if strings.Contains(o.said(), "unheard-of") {
		t.Errorf("the replay is part of the turn: %q", o.said())
	}
	second.leave(t)
	forgottenIsNew(t, s, second)
}

// forgottenIsNew has a session deleted, where the agent can be asked to.
func forgottenIsNew(t *testing.T, s Subject, v *visit) {
	deleted, err := s.Agents.Forget(t.Context(), orchestrator.ForgetRequest{
		Chat: orchestrator.NewChatID(), Agent: s.Agent, NativeID: v.Info().NativeID, Dir: orchestrator.WorktreeDir(v.dir), Caps: v.Info().Caps,
	})
	if err != nil {
		t.Errorf("delete its session: %v", err)
	}
	if !deleted {
		return
	}
	third := begin(t, s, v.dir, v.Info().NativeID, v.turns)
	if info := third.Info(); info.Rung != orchestrator.RungNew {
		t.Errorf("session after it was deleted: %+v", info)
	}
}

func unknownSessionBecomesNew(t *testing.T, s Subject, known string) {
	// Of the same form: an agent may judge by that already.
	other := strings.Map(func(r rune) rune {
		if '0' <= r && r < '9' {
			return r + 1
		}
		return r
	}, known)
	v := begin(t, s, t.TempDir(), other, 3)
	if info := v.Info(); info.Rung != orchestrator.RungNew || info.NativeID == "" {
		t.Errorf("session: %+v", info)
	}
	if o := v.turn(t, "say hello"); !strings.Contains(o.said(), "hello") {
		t.Errorf("said %q", o.said())
	}
}

func everyEventComesFirst(t *testing.T, s Subject) {
	const chunks = 5000
	v := begin(t, s, t.TempDir(), "", 0)
	o := v.turn(t, fmt.Sprintf("flood %d chunks ;; say the end", chunks))
	var want strings.Builder
	for i := range chunks {
		fmt.Fprintf(&want, "chunk%d ", i+1)
	}
	if got := o.said(); !strings.HasPrefix(got, want.String()) || !strings.Contains(got, "the end") {
		t.Errorf("%d bytes of text, want %d in order and the end; last: %.200q", len(got), want.Len(), got[max(0, len(got)-200):])
	}
}

func stopEndsTheTurn(t *testing.T, v *visit) {
	o := v.prompt(t, "stream 100000 words every 20ms")
	wait(t, o, o.first, "first word")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.Stop(ctx, patience/2); err != nil {
		t.Errorf("stop: %v", err)
	}
	wait(t, o, o.done, "end of a stopped turn")
	if o.err != nil || o.result.Stop != "cancelled" {
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	again := v.turn(t, "say here again")
	if again.result.Stop != "end_turn" || !strings.Contains(again.said(), "here again") {
		t.Errorf("after a stop: %q, %q", again.result.Stop, again.said())
	}
}

func stopOfIdleSession(t *testing.T, v *visit) {
	if err := v.Stop(t.Context(), patience/2); err != nil {
		t.Errorf("stop: %v", err)
	}
	if o := v.turn(t, "say hello"); o.result.Stop != "end_turn" {
		t.Errorf("ended with %q", o.result.Stop)
	}
}

func twoSessions(t *testing.T, s Subject) {
	visits := []*visit{begin(t, s, t.TempDir(), "", 0), begin(t, s, t.TempDir(), "", 0)}
	if visits[0].Info().NativeID == visits[1].Info().NativeID {
		t.Error("two sessions have one id")
	}
	var all sync.WaitGroup
	for i, v := range visits {
		word := fmt.Sprintf("word-%d", i)
		all.Go(func() {
			o := v.prompt(t, "write mine.txt with "+word+" ;; stream 5 words every 10ms")
			select {
			case <-o.done:
			case <-t.Context().Done():
			}
			if got, err := os.ReadFile(filepath.Join(v.dir, "mine.txt")); err != nil || string(got) != word+"\n" {
				t.Errorf("%s: %q, %v", word, got, err)
			}
		})
	}
	all.Wait()
}
