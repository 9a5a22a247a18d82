package acp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends/acp"
	"boo/orchestrator"
)

// openDeaf opens a session with a process that the test plays by itself.
func openDeaf(t *testing.T, proc *process) *acp.Sole {
	t.Helper()
	st, err := acp.Open(t.Context(), acp.Protocol{}, definition, proc,
		orchestrator.SessionRequest{Dir: orchestrator.WorktreeDir(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// outcome is what a prompt in a goroutine came to.
type outcome struct {
	tr     *transcript
	result orchestrator.TurnResult
	err    error
}

func (st *stage) promptInBackground(ctx context.Context) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		tr := &transcript{}
		result, err := st.session.Prompt(ctx, []string{"x"}, fine, tr.take)
		done <- outcome{tr, result, err}
	}()
	return done
}

func cancelledFine(t *testing.T, o outcome) {
	t.Helper()
	if o.err != nil || o.result.Stop != "cancelled" {
		t.Errorf("stop %q, %v", o.result.Stop, o.err)
	}
}

func TestStopAsksTheAgentAndWaitsForItsAnswer(t *testing.T) {
	answers := map[string]func(p *peer, prompt frame){
		"cancelled":     func(p *peer, f frame) { p.answer(f, `{"stopReason":"cancelled"}`) },
		"with an error": func(p *peer, f frame) { p.refuse(f, -32603, "Request was aborted.", `null`) },
		"with nothing":  func(p *peer, f frame) { p.answer(f, `null`) },
		"by its end":    func(p *peer, _ frame) { p.exit(1) },
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			running := make(chan struct{})
			st := mustOpen(t, func(p *peer) {
				f := p.expect("session/prompt")
				p.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"sleep","status":"in_progress"}`)
				p.update(`{"sessionUpdate":"tool_call","toolCallId":"c2","status":"completed"}`)
				close(running)
				p.expect("session/cancel")
				p.say("stopping")
				answer(p, f)
			})
			done := st.promptInBackground(t.Context())
			<-running
			if err := st.session.Stop(t.Context(), time.Minute); err != nil {
				t.Error(err)
			}
			o := <-done
			cancelledFine(t, o)
			if o.tr.text(orchestrator.EventText) != "stopping" {
				t.Error("an update after the cancelling is lost")
			}
			calls := o.tr.tools()
			last := calls[len(calls)-1]
			if len(calls) != 3 || last.ID != "c1" || last.Status != "failed" || last.Output != "cancelled" {
				t.Errorf("tools = %+v", calls)
			}
		})
	}
}

func TestAnAgentThatIgnoresACancelIsEndedAfterGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := mustOpen(t, func(p *peer) {
			p.expect("session/prompt")
			p.expect("session/cancel")
		})
		done := st.promptInBackground(t.Context())
		synctest.Wait()
		began := time.Now()
		if err := st.session.Stop(t.Context(), 10*time.Second); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("ended after %v", took)
		}
		cancelledFine(t, <-done)
		<-st.proc.done
		if st.proc.kills == 0 {
			t.Error("the process was not ended")
		}
	})
}

func TestASecondStopMayShortenTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := mustOpen(t, func(p *peer) {
			p.expect("session/prompt")
			p.expect("session/cancel")
			if f, ok := p.next(); ok {
				t.Errorf("boo also sent %s", f.Method)
			}
		})
		done := st.promptInBackground(t.Context())
		synctest.Wait()
		patient := make(chan error)
		go func() { patient <- st.session.Stop(t.Context(), time.Hour) }()
		synctest.Wait()
		if err := st.session.Stop(t.Context(), 0); err != nil {
			t.Error(err)
		}
		cancelledFine(t, <-done)
		if err := <-patient; err != nil {
			t.Error(err)
		}
	})
}

func TestStopWithoutATurnDoesNothing(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		if f, ok := p.next(); ok {
			t.Errorf("boo sent %s", f.Method)
		}
	})
	if err := st.session.Stop(t.Context(), 0); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheContextStopsTheTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		cancel()
		p.expect("session/cancel")
		p.answer(f, `{"stopReason":"cancelled"}`)
	})
	cancelledFine(t, <-st.promptInBackground(ctx))
}

func TestCloseInMidTurnEndsItAsCancelled(t *testing.T) {
	running := make(chan struct{})
	st := mustOpen(t, func(p *peer) {
		p.expect("session/prompt")
		close(running)
	})
	done := st.promptInBackground(t.Context())
	<-running
	for range 2 {
		if err := st.session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	cancelledFine(t, <-done)
	<-st.proc.done
}

const question = `{"jsonrpc":"2.0","id":"q-1","method":"session/request_permission","params":{"sessionId":"s1",
	"toolCall":{"toolCallId":"c1","title":"rm","kind":"execute"},
	"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}`

func ask(p *peer) { p.line("%s", strings.ReplaceAll(question, "\n", " ")) }

// outcomeOf reads the answer to a permission request.
func outcomeOf(t *testing.T, p *peer) string {
	f, _ := p.next()
	if string(f.ID) != `"q-1"` {
		t.Errorf("answered %s", f.ID)
	}
	return string(f.Result)
}

func TestAPermissionIsAnsweredWhileTheAgentIsReadOn(t *testing.T) {
	tests := map[string]struct {
		choice string
		err    error
		want   string
	}{
		"an option":     {"yes", nil, `{"outcome":{"optionId":"yes","outcome":"selected"}}`},
		"no option":     {"maybe", nil, `{"outcome":{"outcome":"cancelled"}}`},
		"cancelled":     {"cancelled", nil, `{"outcome":{"outcome":"cancelled"}}`},
		"an error":      {"yes", errors.New("no store"), `{"outcome":{"outcome":"cancelled"}}`},
		"another agent": {"no", nil, `{"outcome":{"optionId":"no","outcome":"selected"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			readOn := make(chan struct{})
			var asked orchestrator.Permission
			var got string
			permit := func(_ context.Context, p orchestrator.Permission) (string, error) {
				asked = p
				<-readOn
				return test.choice, test.err
			}
			st, err := open(t, definition, orchestrator.SessionRequest{Permit: permit}, func(p *peer) {
				p.settle()
				f := p.expect("session/prompt")
				ask(p)
				for range 1000 {
					p.say(".") // passes only if somebody reads
				}
				close(readOn)
				got = outcomeOf(t, p)
				p.answer(f, `{"stopReason":"end_turn"}`)
			})
			if err != nil {
				t.Fatal(err)
			}
			tr, _, err := st.prompt("x")
			if err != nil || got != test.want {
				t.Errorf("answered %s, %v", got, err)
			}
			if len(asked.Options) != 2 || asked.Options[1].Kind != "reject_once" || asked.Tool.Title != "rm" || asked.ID == "" {
				t.Errorf("asked %+v", asked)
			}
			if tr.tools()[0].Kind != "execute" {
				t.Errorf("the tool call of the request is not shown: %+v", tr.tools())
			}
		})
	}
}

func TestAnOpenPermissionIsCancelledByStop(t *testing.T) {
	asked, undecided := make(chan struct{}), make(chan struct{})
	permit := func(ctx context.Context, _ orchestrator.Permission) (string, error) {
		close(asked)
		<-ctx.Done()
		<-undecided // the answer does not wait for whoever decides
		return "yes", nil
	}
	var got []string
	st, err := open(t, definition, orchestrator.SessionRequest{Permit: permit}, func(p *peer) {
		p.settle()
		f := p.expect("session/prompt")
		ask(p)
		p.expect("session/cancel")
		got = append(got, outcomeOf(t, p))
		ask(p) // asks again, although it was told to stop
		got = append(got, outcomeOf(t, p))
		p.answer(f, `{"stopReason":"cancelled"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	done := st.promptInBackground(t.Context())
	<-asked
	if err := st.session.Stop(t.Context(), time.Minute); err != nil {
		t.Error(err)
	}
	cancelledFine(t, <-done)
	close(undecided)
	for _, outcome := range got {
		if outcome != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("answered %s", outcome)
		}
	}
}

func TestAPermissionThatTheAgentTakesBackIsNotAnsweredTwice(t *testing.T) {
	permit := func(ctx context.Context, _ orchestrator.Permission) (string, error) {
		<-ctx.Done()
		return "yes", nil
	}
	st, err := open(t, definition, orchestrator.SessionRequest{Permit: permit}, func(p *peer) {
		p.settle()
		f := p.expect("session/prompt")
		ask(p)
		p.line(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q-1"}}`)
		if f, _ := p.next(); f.Error == nil || f.Error.Code != -32800 {
			t.Errorf("answered %+v", f)
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.prompt("x"); err != nil {
		t.Error(err)
	}
}

func TestAPermissionOutsideOfATurnIsCancelled(t *testing.T) {
	answered := make(chan string, 1)
	mustOpen(t, func(p *peer) {
		ask(p)
		answered <- outcomeOf(t, p)
	})
	if got := <-answered; got != `{"outcome":{"outcome":"cancelled"}}` {
		t.Errorf("answered %s", got)
	}
}
