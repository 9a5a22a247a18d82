package orchestrator

import (
	"context"
	"time"
)

const (
	recordBatch = 64
	recordEvery = 50 * time.Millisecond
	// Pieces of one message are joined up to this size.
	recordText = 64 << 10
)

// recorder stores a turn's events as they come: pieces of text are joined, and
// batches written every 50 ms or 64 events. Its channel holds one batch; when
// the store is slower than the agent, record blocks, and with it the reading
// of the agent.
type recorder struct {
	e      *Engine
	turn   Turn
	in     chan Event
	done   chan struct{}
	err    error // first failure; read after done
	window Usage // the agent's context window as last reported; read after done
}

func newRecorder(e *Engine, turn Turn) *recorder {
	r := &recorder{e: e, turn: turn, in: make(chan Event, recordBatch), done: make(chan struct{})}
	go r.run() // ended and waited for by close
	return r
}

// record takes one event. It is not called after close.
func (r *recorder) record(ev Event) { r.in <- r.stamp(ev) }

func (r *recorder) stamp(ev Event) Event {
	ev.Chat, ev.Turn, ev.Agent, ev.At = r.turn.Chat, r.turn.ID, r.turn.Agent, r.e.Now()
	return ev
}

// close stores what is left and returns the first error there was.
func (r *recorder) close() error {
	close(r.in)
	<-r.done
	return r.err
}

func (r *recorder) run() {
	defer close(r.done)
	for ev := range r.in {
		r.store(r.gather(ev))
	}
}

// gather collects what comes until the batch is full or old enough.
func (r *recorder) gather(first Event) []Event {
	batch := append(make([]Event, 0, recordBatch), first)
	timer := time.NewTimer(recordEvery)
	defer timer.Stop()
	for len(batch) < recordBatch {
		select {
		case ev, open := <-r.in:
			if !open {
				return batch
			}
			batch = join(batch, ev)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

func (r *recorder) store(batch []Event) {
	for _, ev := range batch {
		if ev.Usage != nil && ev.Usage.ContextSize != 0 {
			r.window = Usage{ContextUsed: ev.Usage.ContextUsed, ContextSize: ev.Usage.ContextSize}
		}
	}
	if r.err != nil {
		return // the turn is lost already; go on draining so that the agent can end
	}
	if _, r.err = r.e.Store.AppendEvents(context.Background(), r.turn.Chat, batch); r.err == nil {
		r.e.announce(r.turn.Chat)
	}
}

// join appends an event, or adds its text to the last one if both are pieces
// of one message.
func join(batch []Event, ev Event) []Event {
	last := &batch[len(batch)-1]
	piece := ev.Kind == EventText || ev.Kind == EventThought
	if piece && last.Kind == ev.Kind && last.MessageID == ev.MessageID && len(last.Text)+len(ev.Text) <= recordText {
		last.Text += ev.Text
		return batch
	}
	return append(batch, ev)
}
