package acp_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

func TestATurnBringsEveryEventBeforeItsAnswer(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"},"messageId":"m1"}`)
		p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello "},"messageId":"m2"}`)
		p.update(`{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"pending"}]}`)
		p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact"}]}`)
		p.update(`{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`)
		p.update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","currentValue":"auto"}]}`)
		p.update(`{"sessionUpdate":"session_info_update","title":"x"}`)
		p.update(`{"sessionUpdate":"usage_update","used":10,"size":100}`)
		p.update(`{"sessionUpdate":"usage_update","used":10,"size":100}`)
		p.update(user)
		p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"there"},"messageId":"m2"}`)
		p.answer(f, `{"stopReason":"end_turn","usage":{"totalTokens":1042,"inputTokens":1000,"outputTokens":42,"cachedReadTokens":7}}`)
	})
	tr, result, err := st.prompt("hello")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range tr.all() {
		got = append(got, string(ev.Kind)+":"+ev.Text+string(ev.Raw))
	}
	want := []string{"thought:hm", "text:Hello ", "plan:", `commands:[{"name":"compact"}]`, "mode:ask", "mode:auto", "usage:", "text:there"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events = %q\nwant %q", got, want)
	}
	usage := orchestrator.Usage{Input: 1000, Output: 42, CacheRead: 7, ContextUsed: 10, ContextSize: 100}
	if result.Stop != "end_turn" || result.Usage != usage {
		t.Errorf("result = %+v", result)
	}
	if tr.all()[2].Plan[0].Content != "look" || tr.all()[1].MessageID != "m2" {
		t.Errorf("events = %+v", tr.all())
	}
}

func TestCommandsToldBeforeThePromptAreTheNextTurns(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact"}]}`)
		for range 2 {
			p.answer(p.expect("session/prompt"), `{"stopReason":"end_turn"}`)
		}
	})
	var told []string
	for range 2 {
		tr, _, err := st.prompt("hello")
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range tr.all() {
			if ev.Kind == orchestrator.EventCommands {
				told = append(told, string(ev.Raw))
			}
		}
	}
	if want := []string{`[{"name":"compact"}]`}; !slices.Equal(told, want) {
		t.Errorf("told: %q, want %q", told, want)
	}
}

func TestAPromptIsAnnouncedBeforeItGoesOutAndNotSentIfThatFails(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		if f, ok := p.next(); ok {
			t.Errorf("boo sent %s", f.Method)
		}
	})
	refused := errors.New("disk full")
	_, err := st.session.Prompt(t.Context(), []string{"x"}, func() error { return refused }, func(orchestrator.Event) {})
	if !errors.Is(err, refused) {
		t.Errorf("err = %v", err)
	}
}

func TestUpdatesOutsideOfATurnAreCountedAndNotPassedOn(t *testing.T) {
	early, late := make(chan struct{}), make(chan struct{})
	st := mustOpen(t, func(p *peer) {
		p.say("too early")
		p.flush()
		close(early)
		f := p.expect("session/prompt")
		p.answer(f, `{"stopReason":"end_turn"}`)
		p.say("too late")
		p.flush()
		close(late)
		f = p.expect("session/prompt")
		p.say("now")
		p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s2","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"another session"}}}}`)
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	<-early
	tr, _, err := st.prompt("one")
	if err != nil || tr.text(orchestrator.EventText) != "" {
		t.Errorf("events %+v, %v", tr.all(), err)
	}
	<-late
	tr, _, err = st.prompt("two")
	if err != nil || tr.text(orchestrator.EventText) != "now" {
		t.Errorf("events %+v, %v", tr.all(), err)
	}
	if stats := st.session.Stats(); stats.Replayed != 2 || stats.Foreign != 1 {
		t.Errorf("stats = %+v", stats)
	}
}

func TestATurnThatComesToNothingSaysSo(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		p.answer(p.expect("session/prompt"), `{"stopReason":"end_turn"}`)
	})
	tr, result, err := st.prompt("x")
	if err != nil || result.Stop != "end_turn" || !strings.Contains(tr.text(orchestrator.EventNotice), "without saying or doing anything") {
		t.Errorf("%+v, %+v, %v", tr.all(), result, err)
	}
}

func TestAnUnknownUpdateIsKeptRaw(t *testing.T) {
	unknown := []string{
		`{"sessionUpdate":"hologram","content":{"type":"text","text":"looks like a message"}}`,
		`{"noKind":true}`,
		`{"sessionUpdate":"tool_call","title":"has no id"}`,
		`{"sessionUpdate":"plan","entries":"none"}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA=="}}`,
	}
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		for _, u := range unknown {
			p.update(u)
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	if err != nil || len(tr.all()) != len(unknown)+1 {
		t.Fatalf("events %+v, %v", tr.all(), err)
	}
	for i, ev := range tr.all()[:len(unknown)] {
		if ev.Kind != orchestrator.EventUnknown || string(ev.Raw) != unknown[i] {
			t.Errorf("event = %+v", ev)
		}
	}
	if n := st.session.Stats().Unknown; n != len(unknown) {
		t.Errorf("counted %d", n)
	}
}

func TestAToolCallIsToldWholeWithEveryUpdate(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"write a.txt","rawInput":{"path":"a.txt"}}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","kind":"edit","locations":[{"path":"/w/a.txt","line":3}]}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"diff","path":"/w/a.txt","oldText":null,"newText":"x"},{"type":"diff","path":"/w/b.txt","newText":"y"}]}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done"}}]}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c2","status":"completed","rawOutput":"raw"}`)
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	calls := tr.tools()
	if err != nil || len(calls) != 5 {
		t.Fatalf("%+v, %v", calls, err)
	}
	if c := calls[0]; c.Status != "pending" || c.Title != "write a.txt" || c.Kind != "" {
		t.Errorf("first = %+v", c)
	}
	last := calls[3]
	want := orchestrator.ToolCall{
		ID: "c1", Title: "write a.txt", Kind: "edit", Status: "completed", Locations: []string{"/w/a.txt"}, Input: []byte(`{"path":"a.txt"}`),
		Output: "done", Diffs: []orchestrator.ToolDiff{{Path: "/w/a.txt", New: true}, {Path: "/w/b.txt"}},
	}
	if fmt.Sprintf("%+v", last) != fmt.Sprintf("%+v", want) {
		t.Errorf("last = %+v\nwant %+v", last, want)
	}
	if c := calls[4]; c.ID != "c2" || c.Output != "raw" {
		t.Errorf("c2 = %+v", c)
	}
}

func TestLongToolTextIsCut(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"path":"a","body":%q},"content":[{"type":"content","content":{"type":"text","text":%q}}]}`, long, long))
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	if err != nil {
		t.Fatal(err)
	}
	call := tr.tools()[0]
	if len(call.Output) > 64<<10 || !strings.HasSuffix(call.Output, "é\n[cut]") {
		t.Errorf("output has %d bytes", len(call.Output))
	}
	if input := string(call.Input); len(input) > 2<<10 || !strings.Contains(input, `"path":"a"`) {
		t.Errorf("input has %d bytes: %.80s", len(input), input)
	}
}

func TestAnErrorThatPosesAsAnAnswerIsAnError(t *testing.T) {
	def := definition
	def.Quirks.ErrorText = []string{"Ran into this error"}
	stale := `{"stopReason":"end_turn","usage":{"totalTokens":1,"inputTokens":1,"outputTokens":1}}`
	chunk := func(id, text string) string {
		return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":%q,"content":{"type":"text","text":%q}}`, id, text)
	}
	tests := map[string]struct {
		chunks []string
		fails  bool
	}{
		"as its own last message":   {[]string{chunk("a", "Let me see."), chunk("b", "Ran into "), chunk("b", "this error: no.\n\nPlease retry.")}, true},
		"inside of a message":       {[]string{chunk("a", "I "), chunk("a", "Ran into this error before.")}, false},
		"as an earlier message":     {[]string{chunk("a", "Ran into this error: x"), chunk("b", "All is well.")}, false},
		"after a tool, without ids": {[]string{chunk("", "Hm."), `{"sessionUpdate":"tool_call","toolCallId":"c","status":"completed"}`, chunk("", "Ran into this error: no.")}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			st, err := open(t, def, orchestrator.SessionRequest{}, func(p *peer) {
				p.settle()
				f := p.expect("session/prompt")
				for _, c := range test.chunks {
					p.update(c)
				}
				p.answer(f, stale)
			})
			if err != nil {
				t.Fatal(err)
			}
			_, result, err := st.prompt("x")
			if failed := err != nil; failed != test.fails {
				t.Fatalf("err = %v", err)
			}
			if test.fails && (orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "Ran into this error: no.") || result.Usage.Input != 0) {
				t.Errorf("result %+v, err = %v", result, err)
			}
		})
	}
}

func TestAnErrorForAnAnswerSurfaces(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"in_progress"}`)
		p.refuse(f, -32603, "Internal error", `{"details":"model says 400"}`)
		p.answer(p.expect("session/prompt"), `{}`)
	})
	tr, _, err := st.prompt("x")
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "model says 400") {
		t.Errorf("err = %v", err)
	}
	if calls := tr.tools(); calls[len(calls)-1].Status != "failed" {
		t.Errorf("tools = %+v", calls)
	}
	if _, _, err := st.prompt("y"); orchestrator.CodeOf(err) != orchestrator.CodeAgent {
		t.Errorf("an answer without a reason: %v", err)
	}
}

func TestASecondPromptAtOnceIsBusy(t *testing.T) {
	prompted, release := make(chan struct{}), make(chan struct{})
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		close(prompted)
		<-release
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	first := make(chan error)
	go func() {
		_, _, err := st.prompt("one")
		first <- err
	}()
	<-prompted
	_, err := st.session.Prompt(t.Context(), nil, func() error { t.Error("sent"); return nil }, func(orchestrator.Event) {})
	if orchestrator.CodeOf(err) != orchestrator.CodeBusy {
		t.Errorf("err = %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestAnAgentThatEndsInMidTurnIsAnErrorWhateverItsStatus(t *testing.T) {
	for _, test := range []struct {
		exit backends.Exit
		want string
	}{
		{backends.Exit{Code: 0}, "exit status 0"},
		{backends.Exit{Code: 137}, "exit status 137"},
		{backends.Exit{Code: -1, Signal: "killed"}, "signal: killed"},
	} {
		st := mustOpen(t, func(p *peer) {
			p.expect("session/prompt")
			p.say("so far")
			p.proc.complain("panic: oh")
			_, _ = fmt.Fprint(p.out, `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_t`)
			p.proc.end(test.exit)
		})
		tr, _, err := st.prompt("x")
		if !errors.Is(err, orchestrator.ErrAgentDied) || orchestrator.CodeOf(err) != orchestrator.CodeAgent ||
			!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "panic: oh") {
			t.Errorf("err = %v", err)
		}
		if tr.text(orchestrator.EventText) != "so far" || st.session.Stats().Noise != 1 {
			t.Errorf("events %+v, stats %+v", tr.all(), st.session.Stats())
		}
		sent := func() error { t.Error("a dead agent was prompted"); return nil }
		if _, err := st.session.Prompt(t.Context(), nil, sent, func(orchestrator.Event) {}); !errors.Is(err, orchestrator.ErrUnsent) || orchestrator.CodeOf(err) != orchestrator.CodeAgent {
			t.Errorf("the next prompt: %v", err)
		}
	}
}

func TestAnAnswerRightBeforeTheEndCounts(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.say("bye")
		p.answer(f, `{"stopReason":"end_turn"}`)
		p.exit(0)
	})
	tr, result, err := st.prompt("x")
	if err != nil || result.Stop != "end_turn" || tr.text(orchestrator.EventText) != "bye" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAnAgentThatClosesItsOutputButLivesIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := mustOpen(t, func(p *peer) {
			p.expect("session/prompt")
			_ = p.out.Close()
		})
		_, _, err := st.prompt("x")
		if !errors.Is(err, orchestrator.ErrAgentDied) || !strings.Contains(err.Error(), "output has ended") {
			t.Errorf("err = %v", err)
		}
		<-st.proc.done
	})
}

func TestAnAgentThatReadsNothingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proc := newProcess(t)
		deaf := make(chan struct{})
		go func() {
			defer close(deaf)
			proc.agent.settle() // and never reads again
		}()
		st := openDeaf(t, proc)
		<-deaf
		began := time.Now()
		_, err := st.Prompt(t.Context(), []string{"x"}, fine, func(orchestrator.Event) {})
		if !errors.Is(err, orchestrator.ErrAgentDied) || !strings.Contains(err.Error(), "10 s") {
			t.Errorf("err = %v", err)
		}
		if took := time.Since(began); took < 10*time.Second || took > 15*time.Second {
			t.Errorf("given up after %v", took)
		}
		if err := st.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
