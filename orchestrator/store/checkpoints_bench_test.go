package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// insertSteps brings a session to a step the short way.
func (f fixture) insertSteps(b *testing.B, steps int64) {
	b.Helper()
	must(b, f.PutSession(f.ctx, f.session(0)))
	must(b, f.step(1))
	must(b, f.Exec(f.ctx, `
WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO checkpoints SELECT chat_id, agent, generation, i, turn_id, seq, native_id, tree, status, reason, at_ms, calls, more, digest, 0
FROM n, checkpoints WHERE step = 1 AND i <= ?1`, steps))
}

// fileOf is a conversation of so many steps as one JSON file has it, with what a
// tool call and its result come to.
func fileOf(steps int64) []byte {
	type message struct{ Role, Content string }
	list := make([]message, 0, 2*steps)
	for i := range steps {
		list = append(list, message{"assistant", fmt.Sprintf("step %d: %s", i, strings.Repeat("call ", 40))}, message{"tool", strings.Repeat("result ", 200)})
	}
	text, _ := json.Marshal(list) // strings always marshal
	return text
}

// rewrite stores a conversation as one file, on disk.
func rewrite(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// One step's checkpoint, stored with the event that tells of it, beside writing
// the whole conversation anew as one JSON file. What it costs is what storing the
// two takes longer than storing the event alone. The medians are told: what else
// the disk has to do hits one of a hundred, for as long as all others together.
func BenchmarkStep(b *testing.B) {
	for _, at := range []int64{5, 500, 5000} {
		b.Run(fmt.Sprint(at), func(b *testing.B) {
			f := newFixture(b)
			f.insertSteps(b, at)
			path, text := filepath.Join(b.TempDir(), "state.json"), fileOf(at)
			var both, alone, theirs []float64
			timed := func(all *[]float64, do func() error) {
				begin := time.Now()
				err := do()
				*all = append(*all, time.Since(begin).Seconds())
				must(b, err)
			}
			step := at
			for b.Loop() {
				withStep := func() { timed(&both, func() error { step++; return f.step(step) }) }
				withNone := func() {
					timed(&alone, func() error {
						_, err := f.AppendTold(f.ctx, f.session(0), []orchestrator.Event{tool(f.turn.ID, fmt.Sprint(step))}, nil)
						return err
					})
				}
				if step%2 == 0 { // who comes first after the other disk writes pays for them
					withStep, withNone = withNone, withStep
				}
				withStep()
				withNone()
				timed(&theirs, func() error { return rewrite(path, text) })
			}
			cost := median(both) - median(alone)
			b.ReportMetric(cost*1e6, "us/checkpoint")
			b.ReportMetric(cost/median(theirs), "x-of-one-file")
			b.ReportMetric(median(both)/median(theirs), "x-with-event")
		})
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// The latest of many, beside that of few.
func BenchmarkLatestCheckpoint(b *testing.B) {
	few, many := newFixture(b), newFixture(b)
	few.insertSteps(b, 10)
	many.insertSteps(b, 10_000)
	// The copies have the digest of the first: the newest is made to hold.
	must(b, few.step(11))
	must(b, many.step(10_001))
	var ofFew, ofMany time.Duration
	for b.Loop() {
		for f, sum := range map[*fixture]*time.Duration{&few: &ofFew, &many: &ofMany} {
			begin := time.Now()
			c, bad, err := f.LatestCheckpoint(f.ctx, f.chat, "goose")
			*sum += time.Since(begin)
			must(b, err)
			if len(bad) > 0 || c.Status != orchestrator.CheckpointInProgress {
				b.Fatal(c, bad)
			}
		}
	}
	b.ReportMetric(float64(ofMany)/float64(ofFew), "x-of-ten")
}
