package acp_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAFloodIsReadToTheEndInOrder(t *testing.T) {
	const updates = 100_000
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		for i := range updates {
			p.say(fmt.Sprintf("%d ", i))
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	next := 0
	_, err := st.session.Prompt(t.Context(), []string{"x"}, fine, func(ev orchestrator.Event) {
		if want := fmt.Sprintf("%d ", next); ev.Text != want {
			t.Fatalf("event %d is %q", next, ev.Text)
		}
		next++
	})
	if err != nil || next != updates {
		t.Errorf("%d updates, %v", next, err)
	}
}

// saying is the line of an update with a text of n bytes.
func saying(n int) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` +
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", n) + `"}}}}` + "\n"
}

func TestASlowSinkHoldsTheAgentBackAndNothingPilesUp(t *testing.T) {
	const updates, size = 80, 512 << 10
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		line := saying(size)
		for range updates {
			_, _ = io.WriteString(p.out, line)
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	var peak uint64
	got := 0
	_, err := st.session.Prompt(t.Context(), []string{"x"}, fine, func(ev orchestrator.Event) {
		got += len(ev.Text)
		if got/size%20 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	})
	if err != nil || got != updates*size {
		t.Errorf("%d bytes, %v", got, err)
	}
	if peak > 24<<20 {
		t.Errorf("%d MiB held while %d MiB went through", peak>>20, got>>20)
	}
}

func TestALineOf32MBPasses(t *testing.T) {
	const size = 32 << 20
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		_, _ = io.WriteString(p.out, saying(size))
		p.say("after")
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	var got []int
	_, err := st.session.Prompt(t.Context(), []string{"x"}, fine, func(ev orchestrator.Event) { got = append(got, len(ev.Text)) })
	if err != nil || fmt.Sprint(got) != fmt.Sprint([]int{size, 5}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestALineOverTheLimitIsSkippedAndTheConnectionLives(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		chunk := strings.Repeat("x", 1<<20)
		for range 65 {
			_, _ = io.WriteString(p.out, chunk)
		}
		p.line("")
		p.say("after")
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	if note := tr.text(orchestrator.EventNotice); note != "a message of peer was left out: it is longer than 64 MiB" {
		t.Errorf("noted %q", note)
	}
	if err != nil || tr.text(orchestrator.EventText) != "after" || st.session.Stats().Noise != 1 {
		t.Errorf("%+v, %v, %+v", tr.all(), err, st.session.Stats())
	}
}

func TestAPromptOf5MBGoesOut(t *testing.T) {
	prompt := strings.Repeat("long ", 1<<20)
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		if len(f.Params) < len(prompt) {
			t.Errorf("%d bytes arrived", len(f.Params))
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	if _, _, err := st.prompt(prompt); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotTheProtocolIsCountedAndDoesNoHarm(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.line("Welcome to peer 1.2.3!")
		p.line("")
		p.line(`{"level":"info","msg":"a log line"}`)
		p.line(`["a batch"]`)
		p.line(`{"jsonrpc":"2.0","id":`)
		p.line("%s", strings.Repeat(`[`, 20_000))
		p.line(`{"jsonrpc":"2.0","id":%s,"params":%s`, f.ID, strings.Repeat(`{"a":`, 20_000))
		p.line(`{"jsonrpc":"2.0","id":99,"result":{}}`)
		p.line(`{"jsonrpc":"2.0","id":"3","result":{"stopReason":"end_turn"}}`)
		p.line(`{"jsonrpc":"2.0","method":"peer/notify","params":{}}`)
		p.line(`{"jsonrpc":"2.0","method":"session/update","params":7}`)
		p.line(`{"jsonrpc":"2.0","id":"r","method":"fs/read_text_file","params":{}}`)
		if f, _ := p.next(); f.Error == nil || f.Error.Code != -32601 || string(f.ID) != `"r"` {
			t.Errorf("an unknown request was answered %+v", f)
		}
		p.line(`{"jsonrpc":"2.0","id":4,"method":"session/request_permission","params":{}}`)
		if f, _ := p.next(); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("a broken request was answered %+v", f)
		}
		p.line("%s", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"caf`+"\xe9"+`"}}}}`)
		p.answer(f, `{"stopReason":"end_turn"}`)
		p.answer(f, `{"stopReason":"refusal"}`)
	})
	tr, result, err := st.prompt("x")
	if err != nil || result.Stop != "end_turn" {
		t.Errorf("%+v, %v", result, err)
	}
	if text := tr.text(orchestrator.EventText); text != "caf\uFFFD" {
		t.Errorf("text = %q", text)
	}
	if err := st.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	stats := st.session.Stats()
	if stats.Noise != 6 || stats.Strays != 3 || stats.Notifications != 1 || stats.Requests != 1 || stats.Unknown != 1 {
		t.Errorf("stats = %+v", stats)
	}
}

func TestAnAgentThatAsksWithoutReadingIsStillReadOn(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		for i := range 5000 {
			p.line(`{"jsonrpc":"2.0","id":%d,"method":"terminal/create","params":{}}`, i)
		}
		p.say("done")
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	tr, _, err := st.prompt("x")
	if err != nil || tr.text(orchestrator.EventText) != "done" {
		t.Errorf("%+v, %v", tr.all(), err)
	}
	if stats := st.session.Stats(); stats.Requests != 5000 || stats.Unanswered == 0 {
		t.Errorf("stats = %+v", stats)
	}
}
