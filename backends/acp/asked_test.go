package acp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

func TestAModeThatAPersonAsksForHasToBeOffered(t *testing.T) {
	modes := `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"auto"}]}}`
	for name, test := range map[string]struct{ session, mode, words string }{
		"offered":     {modes, "auto", ""},
		"not offered": {modes, "yolo", "it has: ask, auto"},
		"no modes":    {`{"sessionId":"s1"}`, "auto", "cannot be told"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, definition, orchestrator.SessionRequest{Mode: test.mode}, func(p *peer) {
				p.introduce(`{}`)
				p.answer(p.expect("session/new"), test.session)
				if test.words == "" {
					p.answer(p.expect("session/set_mode"), `{}`)
				}
			})
			switch {
			case test.words == "" && err != nil:
				t.Error(err)
			case test.words != "" && (orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), test.words)):
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestAnUnclearRefusalIsClearedUpByTheListOfSessions(t *testing.T) {
	for name, test := range map[string]struct {
		pages []string
		rung  orchestrator.Rung // "" for an error
	}{
		"not listed":     {[]string{`{"sessions":[{"sessionId":"a"}],"nextCursor":"2"}`, `{"sessions":[]}`}, orchestrator.RungNew},
		"listed":         {[]string{`{"sessions":[{"sessionId":"a"}],"nextCursor":"2"}`, `{"sessions":[{"sessionId":"old"}]}`}, ""},
		"no real answer": {[]string{`{}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			st, err := open(t, definition, orchestrator.SessionRequest{NativeID: "old", Had: true}, func(p *peer) {
				p.introduce(`{"sessionCapabilities":{"resume":{},"list":{}}}`)
				p.refuse(p.expect("session/resume"), -32603, "service failure", `null`)
				for _, page := range test.pages {
					p.answer(p.expect("session/list"), page)
				}
				if test.rung != "" {
					p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
				}
			})
			switch {
			case test.rung == "" && (err == nil || !strings.Contains(err.Error(), "service failure")):
				t.Errorf("err = %v", err)
			case test.rung != "" && (err != nil || st.session.Info().Rung != test.rung):
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAnAgentsOwnWordsForAnUnknownSessionAreData(t *testing.T) {
	def := definition
	def.Quirks.UnknownSession = []string{"Nobody by that name"}
	_, err := open(t, def, orchestrator.SessionRequest{NativeID: "old", Had: true}, func(p *peer) {
		p.introduce(`{"loadSession":true}`)
		p.refuse(p.expect("session/load"), -32603, "Internal error", `{"details":"Nobody by that name: old"}`)
		p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALoadWaitsForTheMinuteInWhichTheSessionWasMade(t *testing.T) {
	def := definition
	def.Quirks.LoadAnew = time.Minute
	for name, test := range map[string]struct {
		ago   time.Duration // since the session was used; 0 if that is not known
		waits bool
	}{
		"same minute":   {5 * time.Second, true},
		"not known":     {0, true},
		"minute before": {15 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Until(time.Now().Truncate(time.Minute).Add(70 * time.Second))) // 10 s past a minute
				req := orchestrator.SessionRequest{NativeID: "old", Had: true}
				if test.ago > 0 {
					req.Used = time.Now().Add(-test.ago)
				}
				began, loaded := time.Now(), time.Time{}
				_, err := open(t, def, req, func(p *peer) {
					p.introduce(`{"loadSession":true}`)
					f := p.expect("session/load")
					loaded = time.Now()
					p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":%s}}`, user)
					p.answer(f, `null`)
				})
				if err != nil {
					t.Fatal(err)
				}
				if waited := loaded.Truncate(time.Minute).After(began.Truncate(time.Minute)); waited != test.waits {
					t.Errorf("loaded %s after the start", loaded.Sub(began))
				}
			})
		})
	}
}

func TestASessionIsClosedBeforeItsProcessEnds(t *testing.T) {
	closed := make(chan string, 1)
	st, err := open(t, definition, orchestrator.SessionRequest{}, func(p *peer) {
		p.introduce(`{"sessionCapabilities":{"close":{}}}`)
		p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		f := p.expect("session/close")
		closed <- string(f.Params)
		p.answer(f, `{}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.session.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := <-closed; got != `{"sessionId":"s1"}` {
		t.Errorf("closed %s", got)
	}
}

func TestAWarningOfTheAgentsOwnIsANotice(t *testing.T) {
	def := definition
	def.Quirks = backends.Quirks{Asides: []string{"Warning: "}, ErrorText: []string{"gave up"}}
	st, err := open(t, def, orchestrator.SessionRequest{}, func(p *peer) {
		p.settle()
		f := p.expect("session/prompt")
		p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Warning: odd model\n"}}`)
		p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"gave up after 5 tries"}}`)
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	tr, _, err := st.prompt("x")
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || tr.text(orchestrator.EventNotice) != "Warning: odd model" {
		t.Errorf("err = %v, notices %q", err, tr.text(orchestrator.EventNotice))
	}
}

func TestLinesOfOutputThatTellNothingAreLeftOut(t *testing.T) {
	def := definition
	def.Quirks = backends.Quirks{Noise: []string{"PGID: "}}
	st, err := open(t, def, orchestrator.SessionRequest{}, func(p *peer) {
		p.settle()
		f := p.expect("session/prompt")
		for id, output := range []string{`Output: PGID: 1\nPGID: 23920`, `PGID: 23939\nOutput: PGID: 1`, `PGID: 4`} {
			p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":"%s"}}]}`, id, output))
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	tr, _, err := st.prompt("x")
	calls := tr.tools()
	if err != nil || len(calls) != 3 || calls[0].Output != "Output: PGID: 1" || calls[1].Output != calls[0].Output || calls[2].Output != "" {
		t.Errorf("%+v, %v", calls, err)
	}
}

func TestACancelThatNobodyAskedForIsTheAgentsDeath(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		p.answer(p.expect("session/prompt"), `{"stopReason":"cancelled"}`)
		p.exit(1)
	})
	if _, _, err := st.prompt("x"); orchestrator.CodeOf(err) != orchestrator.CodeAgent {
		t.Errorf("err = %v", err)
	}
}

func TestOutputThatComesByPiecesIsPutTogether(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"ls","status":"in_progress","content":[{"type":"terminal","terminalId":"c"}]}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output_delta":{"data":"one\n"}}}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output_delta":{"data":"two\n"}}}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":{"exit_code":0}}`)
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	if err != nil {
		t.Fatal(err)
	}
	calls := tr.tools()
	if last := calls[len(calls)-1]; last.Output != "one\ntwo\n" || last.Status != "completed" {
		t.Errorf("call = %+v", last)
	}
}
