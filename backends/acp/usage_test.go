package acp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"boo/backends"
	"boo/orchestrator"
)

func TestUsageComesInManyForms(t *testing.T) {
	tests := map[string]struct {
		updates []string
		answer  string
		want    orchestrator.Usage
	}{
		"with empty chunks, to be added up (qwen)": {
			[]string{
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":10,"outputTokens":2}}}`,
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"promptTokens":20,"completionTokens":3,"cachedTokens":4}}}`,
			},
			`{"stopReason":"end_turn"}`, orchestrator.Usage{Input: 30, Output: 5, CacheRead: 4},
		},
		"as a quota (gemini)": {
			nil, `{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":9,"output_tokens":1}}}}`,
			orchestrator.Usage{Input: 9, Output: 1},
		},
		"as a cost of the session": {
			[]string{
				`{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.25,"currency":"USD"}}`,
				`{"sessionUpdate":"usage_update","used":2,"size":9,"cost":{"amount":0.75,"currency":"USD"}}`,
			},
			`{"stopReason":"end_turn"}`, orchestrator.Usage{Cost: 0.75, Currency: "USD", ContextUsed: 2, ContextSize: 9},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			st := mustOpen(t, func(p *peer) {
				f := p.expect("session/prompt")
				for _, u := range test.updates {
					p.update(u)
				}
				p.answer(f, test.answer)
			})
			tr, result, err := st.prompt("x")
			if err != nil || result.Usage != test.want {
				t.Errorf("usage = %+v, %v", result.Usage, err)
			}
			if tr.text(orchestrator.EventText) != "" {
				t.Error("an empty chunk became text")
			}
		})
	}
}

func TestACostThatRunsOnIsChargedOnce(t *testing.T) {
	cost := func(amount float64) string {
		return fmt.Sprintf(`{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":%v,"currency":"USD"}}`, amount)
	}
	synctest.Test(t, func(t *testing.T) {
		st, err := open(t, definition, orchestrator.SessionRequest{NativeID: "s1", Had: true}, func(p *peer) {
			p.introduce(`{"loadSession":true}`)
			f := p.expect("session/load")
			p.update(user)
			p.update(cost(5)) // of earlier turns
			p.answer(f, `null`)
			f = p.expect("session/prompt")
			p.update(cost(6))
			p.answer(f, `{"stopReason":"end_turn"}`)
			p.update(cost(6.5)) // trails: it is the next turn's
			f = p.expect("session/prompt")
			p.update(cost(8))
			p.answer(f, `{"stopReason":"end_turn"}`)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []float64{1, 2} {
			_, result, err := st.prompt("x")
			if err != nil || result.Usage.Cost != want {
				t.Errorf("cost = %v, %v; want %v", result.Usage.Cost, err, want)
			}
			synctest.Wait()
		}
	})
}

func TestACostGoesOnFromWhatTheSessionWasChargedWith(t *testing.T) {
	anew := definition
	anew.Quirks.CostAnew = true
	const sum = 0.1 + 0.2 // as a sum of floats: a bit more than 0.3
	for name, c := range map[string]struct {
		def          backends.Definition
		past         float64
		replayed     []float64
		first, later []float64 // told in the turns
		want         []float64 // of the turns
	}{
		"an agent that goes on":               {definition, 3, nil, []float64{3.5, 4}, []float64{6}, []float64{1, 2}},
		"that begins anew":                    {definition, 3, nil, []float64{0.5, 1}, []float64{3}, []float64{1, 2}},
		"that always begins anew":             {anew, 3, nil, []float64{5}, []float64{6}, []float64{5, 1}},
		"that tells where it stands":          {definition, 3, []float64{4}, []float64{4, 5}, []float64{6}, []float64{1, 1}},
		"that begins anew while it goes on":   {definition, 3, nil, []float64{5}, []float64{1}, []float64{2, 1}},
		"whose first turn costs nothing":      {definition, sum, nil, []float64{0.3}, []float64{0.3}, []float64{0, 0}},
		"whose first turn tells nothing":      {definition, 3, nil, nil, []float64{4}, []float64{0, 1}},
		"of whom nothing is on record so far": {definition, 0, nil, []float64{2}, []float64{3}, []float64{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				charged := func(context.Context) (float64, error) { return c.past, nil }
				st, err := open(t, c.def, orchestrator.SessionRequest{NativeID: "s1", Charged: charged}, func(p *peer) {
					tell := func(amounts []float64) {
						for _, amount := range amounts {
							p.update(fmt.Sprintf(`{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":%v,"currency":"USD"}}`, amount))
						}
					}
					p.introduce(`{"loadSession":true}`)
					f := p.expect("session/load")
					tell(c.replayed)
					p.answer(f, `null`)
					for _, amounts := range [][]float64{c.first, c.later} {
						f = p.expect("session/prompt")
						tell(amounts)
						p.answer(f, `{"stopReason":"end_turn"}`)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range c.want {
					if _, result, err := st.prompt("x"); err != nil || result.Usage.Cost != want {
						t.Errorf("turn %d: cost = %v, %v; want %v", i+1, result.Usage.Cost, err, want)
					}
				}
			})
		})
	}
}

func TestASessionIsNotBroughtBackWhoseCostCannotBeLookedUp(t *testing.T) {
	broken := errors.New("no record")
	_, err := open(t, definition, orchestrator.SessionRequest{
		NativeID: "s1", Charged: func(context.Context) (float64, error) { return 0, broken },
	}, func(p *peer) { p.introduce(`{"loadSession":true}`) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
