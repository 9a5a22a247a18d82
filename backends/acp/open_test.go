package acp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends"
	"boo/backends/acp"
	"boo/orchestrator"
)

func TestANewSessionIsOpenedInTheWorktree(t *testing.T) {
	dir := t.TempDir()
	var cwd string
	st, err := open(t, definition, orchestrator.SessionRequest{Dir: orchestrator.WorktreeDir(dir)}, func(p *peer) {
		p.introduce(`{"loadSession":true}`)
		f := p.expect("session/new")
		cwd = string(f.Params)
		p.answer(f, `{"sessionId":"s1"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	info := st.session.Info()
	if info.Rung != orchestrator.RungNew || info.NativeID != "s1" || info.Version != "1.2.3" || info.Protocol != "acp/1" {
		t.Errorf("info = %+v", info)
	}
	if string(info.Caps) != `{"loadSession":true}` {
		t.Errorf("capabilities = %s", info.Caps)
	}
	if !strings.Contains(cwd, dir) {
		t.Errorf("session/new has no cwd %s: %s", dir, cwd)
	}
}

const user = `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hello"}}`

func TestASessionIsBroughtBackByTheBestRungThatIsAdvertised(t *testing.T) {
	both := `{"loadSession":true,"sessionCapabilities":{"resume":{}}}`
	load := `{"loadSession":true}`
	tests := map[string]struct {
		script   func(*peer)
		rung     orchestrator.Rung
		id       string
		replayed int
	}{
		"resume comes before load": {func(p *peer) {
			p.introduce(both)
			p.answer(p.expect("session/resume"), `{}`)
		}, orchestrator.RungResumed, "old", 0},
		"load, with null for an answer": {func(p *peer) {
			p.introduce(load)
			f := p.expect("session/load")
			p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":%s}}`, user)
			p.answer(f, `null`)
		}, orchestrator.RungResumed, "old", 1},
		"a replay after the answer (gemini)": {func(p *peer) {
			p.introduce(load)
			p.answer(p.expect("session/load"), `{}`)
			p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":%s}}`, user)
		}, orchestrator.RungResumed, "old", 1},
		"nothing advertised": {func(p *peer) {
			p.introduce(`{}`)
			p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		}, orchestrator.RungNew, "s1", 0},
		"a load that replays nothing": {func(p *peer) {
			p.introduce(load)
			p.answer(p.expect("session/load"), `{}`)
			p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		}, orchestrator.RungNew, "s1", 0},
		"resume unknown, then load unknown": {func(p *peer) {
			p.introduce(both)
			p.refuse(p.expect("session/resume"), -32603, "Internal error", `{"details":"NotFoundError"}`)
			p.refuse(p.expect("session/load"), -32002, "Resource not found", `"Session not found: old"`)
			p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		}, orchestrator.RungNew, "s1", 0},
		"resume advertised but not there": {func(p *peer) {
			p.introduce(both)
			p.refuse(p.expect("session/resume"), -32601, "Method not found", `null`)
			f := p.expect("session/load")
			p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":%s}}`, user)
			p.answer(f, `{"sessionId":"other"}`)
		}, orchestrator.RungResumed, "other", 1},
		"unknown, in the way of older agents": {func(p *peer) {
			p.introduce(load)
			p.refuse(p.expect("session/load"), -32602, "Failed to load session old", `null`)
			p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		}, orchestrator.RungNew, "s1", 0},
		"unknown, by kind": {func(p *peer) {
			p.introduce(load)
			p.refuse(p.expect("session/load"), -1, "no", `{"kind":"unknown_session"}`)
			p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
		}, orchestrator.RungNew, "s1", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, err := open(t, definition, orchestrator.SessionRequest{NativeID: "old", Had: true}, test.script)
				if err != nil {
					t.Fatal(err)
				}
				info := st.session.Info()
				if info.Rung != test.rung || info.NativeID != test.id || info.Replayed != test.replayed {
					t.Errorf("info = %+v", info)
				}
			})
		})
	}
}

func TestOnlyAnUnknownSessionFallsThrough(t *testing.T) {
	for _, refusal := range []struct {
		code          int
		message, data string
	}{
		{-32602, "Invalid params", `"invalid directory path"`},
		{-32603, "Internal error", `"database is locked"`},
		{-32000, "Authentication required", `null`},
	} {
		_, err := open(t, definition, orchestrator.SessionRequest{NativeID: "old", Had: true}, func(p *peer) {
			p.introduce(`{"loadSession":true}`)
			p.refuse(p.expect("session/load"), refusal.code, refusal.message, refusal.data)
		})
		if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "load its session") {
			t.Errorf("%v: %v", refusal, err)
		}
		opened, ok := errors.AsType[*backends.OpenError](err)
		if !ok || opened.Info.Version != "1.2.3" {
			t.Errorf("%v: the introduction is lost: %#v", refusal, err)
		}
	}
}

func TestAReplayWithoutTurnsOfOursIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, err := open(t, definition, orchestrator.SessionRequest{NativeID: "old"}, func(p *peer) {
			p.introduce(`{"loadSession":true}`)
			p.answer(p.expect("session/load"), `{}`)
		})
		if err != nil || st.session.Info().Rung != orchestrator.RungResumed {
			t.Fatalf("%+v, %v", st, err)
		}
	})
}

func TestALoadMayTakeLongAsLongAsItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, err := open(t, definition, orchestrator.SessionRequest{NativeID: "old", Had: true}, func(p *peer) {
			p.introduce(`{"loadSession":true}`)
			f := p.expect("session/load")
			for range 10 {
				<-time.After(20 * time.Second)
				p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":%s}}`, user)
			}
			p.answer(f, `null`)
		})
		if err != nil || st.session.Info().Replayed != 10 {
			t.Fatalf("%+v, %v", st, err)
		}
	})
}

func TestAnAgentThatDoesNotAnswerIsGivenUp(t *testing.T) {
	tests := map[string]struct {
		native string
		script func(*peer)
		after  time.Duration
		want   string
	}{
		"initialize": {"", func(p *peer) { p.expect("initialize") }, 10 * time.Second, "answer initialize"},
		"new": {"", func(p *peer) {
			p.introduce(`{}`)
			p.expect("session/new")
		}, 60 * time.Second, "open a session"},
		"load": {"old", func(p *peer) {
			p.introduce(`{"loadSession":true}`)
			p.expect("session/load")
		}, 30 * time.Second, "load its session"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := open(t, definition, orchestrator.SessionRequest{NativeID: test.native, Had: true}, func(p *peer) {
					p.proc.complain("still thinking")
					test.script(p)
				})
				if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(fmt.Sprint(err), test.want) || !strings.Contains(fmt.Sprint(err), "still thinking") {
					t.Errorf("err = %v", err)
				}
				if took := time.Since(began); took < test.after || took > test.after+5*time.Second {
					t.Errorf("gave up after %v", took)
				}
			})
		})
	}
}

func TestAnAgentThatEndsBeforeItAnswersSaysHow(t *testing.T) {
	_, err := open(t, definition, orchestrator.SessionRequest{}, func(p *peer) {
		p.proc.complain("unknown command: acp")
		p.line("usage: peer [flags]")
		p.expect("initialize")
		p.exit(2)
	})
	for _, part := range []string{"exit status 2", "unknown command: acp", "usage: peer"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent {
		t.Errorf("code = %s", orchestrator.CodeOf(err))
	}
}

func TestAnotherVersionOfTheProtocolIsRefused(t *testing.T) {
	_, err := open(t, definition, orchestrator.SessionRequest{}, func(p *peer) {
		p.answer(p.expect("initialize"), `{"protocolVersion":2}`)
	})
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("err = %v", err)
	}
}

func TestMissingConfigurationBecomesAdvice(t *testing.T) {
	goose := backends.Builtin()[0]
	_, err := open(t, goose, orchestrator.SessionRequest{}, func(p *peer) {
		p.introduce(`{}`)
		p.refuse(p.expect("session/new"), -32603, "Internal error", `"Failed to resolve provider: Configuration value not found: GOOSE_PROVIDER"`)
	})
	if err == nil || !strings.Contains(err.Error(), "set GOOSE_PROVIDER") || orchestrator.HintOf(err) != "goose configure" {
		t.Errorf("err = %v, hint %q", err, orchestrator.HintOf(err))
	}
}

func TestARefusalForWantOfALoginTellsTheWays(t *testing.T) {
	_, err := open(t, definition, orchestrator.SessionRequest{}, func(p *peer) {
		p.answer(p.expect("initialize"), `{"protocolVersion":1,"authMethods":[{"id":"x","name":"Key","description":"run peer login"}]}`)
		p.refuse(p.expect("session/new"), -32000, "Authentication required", `null`)
	})
	if err == nil || !strings.Contains(err.Error(), "run peer login") {
		t.Errorf("err = %v", err)
	}
}

func TestModeAndModelAreSetWhereTheyDiffer(t *testing.T) {
	def := definition
	def.Mode = "auto"
	model := `{"id":"model","category":"model","type":"select","currentValue":"small","options":[{"group":"g","options":[{"value":"large"}]}]}`
	tests := map[string]struct {
		session string
		model   string
		want    []string
	}{
		"model by name":   {`"configOptions":[{"id":"model","category":"model","currentValue":"a","options":[{"value":"b/c","name":"Big"}]}]`, "Big", []string{`set_config_option {"configId":"model","sessionId":"s1","value":"b/c"}`}},
		"model of a list": {`"models":{"currentModelId":"a","availableModels":[{"modelId":"b[high]","name":"Big"}]}`, "Big", []string{`set_model {"sessionId":"s1","modelId":"b[high]"}`}},
		"mode differs":    {`"modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"auto"}]}`, "", []string{`set_mode {"modeId":"auto","sessionId":"s1"}`}},
		"mode is set":     {`"modes":{"currentModeId":"auto","availableModes":[{"id":"auto"}]}`, "", nil},
		"no such mode":    {`"modes":{"currentModeId":"ask","availableModes":[{"id":"ask"}]}`, "", nil},
		"mode by option":  {`"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":"ask","options":[{"value":"auto"}]}]`, "", []string{`set_config_option {"configId":"m","sessionId":"s1","value":"auto"}`}},
		"model differs":   {`"configOptions":[{"odd":true,"id":7},` + model + `]`, "large", []string{`set_config_option {"configId":"model","sessionId":"s1","value":"large"}`}},
		"model is set":    {`"configOptions":[` + model + `]`, "small", nil},
		"model not asked": {`"configOptions":[` + model + `]`, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			_, err := open(t, def, orchestrator.SessionRequest{Model: test.model}, func(p *peer) {
				p.introduce(`{}`)
				p.answer(p.expect("session/new"), `{"sessionId":"s1",`+test.session+`}`)
				for range test.want {
					f, _ := p.next()
					got = append(got, strings.TrimPrefix(f.Method, "session/")+" "+string(f.Params))
					p.answer(f, `{}`)
				}
			})
			if err != nil || fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("sent %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestAModelForAnAgentThatCannotBeToldIsInvalid(t *testing.T) {
	_, err := open(t, definition, orchestrator.SessionRequest{Model: "large"}, func(p *peer) { p.settle() })
	if orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("err = %v", err)
	}
}

func TestAStopWhileTheSessionOpensLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	proc, _ := play(t, func(p *peer) {
		p.expect("initialize")
		cancel()
	})
	_, err := acp.Open(ctx, acp.Protocol{}, definition, proc,
		orchestrator.SessionRequest{Dir: orchestrator.WorktreeDir(t.TempDir())})
	if !errors.Is(err, context.Canceled) || orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Errorf("err = %v", err)
	}
	<-proc.done
}
