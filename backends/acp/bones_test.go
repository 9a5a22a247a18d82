package acp_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"boo/backends/acp"
	"boo/orchestrator"
)

func TestBonesSayWhatALongMessageIs(t *testing.T) {
	long := strings.Repeat(`\"é{[`, 1000)
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{"a":["` + long + `",{"id":8}]}}`:              `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"result":[[1],"` + long + `"],"id":"x"}`:                                       `{"result":[],"id":"x"}`,
		`{"error":{"message":"` + long + `"},"id":7}`:                                    `{"error":{},"id":7}`,
		`{"method":"session/update","params":{"x":"\\","y":"\\\"}"}}`:                    `{"method":"session/update","params":{}}`,
		`{"id":1,"result":"` + strings.Repeat("x", 5000) + `"}`:                          `{"id":1,"result":"` + strings.Repeat("x", 255) + `"}`,
		`{"id":1,"result":"` + strings.Repeat("x", 254) + strings.Repeat(`\n`, 9) + `"}`: `{"id":1,"result":"` + strings.Repeat("x", 254) + `\n"}`,
		strings.Repeat("x", 5000):                                                        strings.Repeat("x", 1024),
	} {
		for _, size := range []int{1, 7, len(in)} {
			if got := acp.Bones(in, size); got != want {
				t.Errorf("%.60s in pieces of %d: %s", in, size, got)
			}
		}
	}
}

// gush writes a line that is over the limit.
func (p *peer) gush(before, after string) {
	_, _ = io.WriteString(p.out, before)
	chunk := strings.Repeat("x", 1<<20)
	for range 65 {
		_, _ = io.WriteString(p.out, chunk)
	}
	p.line("%s", after)
}

func TestAnAnswerOverTheLimitEndsTheTurnAtOnce(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.gush(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn","_meta":"`, f.ID), `"}}`)
		f = p.expect("session/prompt")
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	_, _, err := st.prompt("x")
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("got %v", err)
	}
	if _, result, err := st.prompt("y"); err != nil || result.Stop != "end_turn" {
		t.Errorf("the next turn: %+v, %v", result, err)
	}
}

func TestARequestOverTheLimitIsRefused(t *testing.T) {
	st := mustOpen(t, func(p *peer) {
		f := p.expect("session/prompt")
		p.gush(`{"jsonrpc":"2.0","id":"r","method":"session/request_permission","params":{"x":"`, `"}}`)
		if f, _ := p.next(); f.Error == nil || string(f.ID) != `"r"` {
			t.Errorf("it was answered %+v", f)
		}
		p.answer(f, `{"stopReason":"end_turn"}`)
	})
	if tr, _, err := st.prompt("x"); err != nil || !strings.Contains(tr.text(orchestrator.EventNotice), "left out") {
		t.Errorf("%+v, %v", tr.all(), err)
	}
}
