package orchestrator

import (
	"context"
	"time"
	"unicode/utf8"
)

const (
	recordBatch = 64
	recordEvery = 50 * time.Millisecond
	// Pieces of one message are joined up to this size, and longer ones are cut: an
	// event goes through the memory of all who store, read and show it.
	recordText = 64 << 10
)

// recorder stores a turn's events as they come: pieces of text are joined, and
// batches written every 50 ms or 64 events. Its channel holds one batch; when
// the store is slower than the agent, record blocks, and with it the reading
// of the agent.
type recorder struct {
	e      *Engine
	turn   Turn
	of     Session  // that the agent tells it in
	tree   ObjectID // of the snapshot before the turn
	last   int64    // step that was stored last; -1 where that is not known
	calls  callBook // of what was stored; read after done
	in     chan Event
	hurry  chan chan struct{} // of those who wait until all is stored
	done   chan struct{}
	err    error // first failure; read after done
	window Usage // the agent's context window as last reported; read after done
}

func newRecorder(e *Engine, turn Turn, of Session, tree ObjectID) *recorder {
	r := &recorder{e: e, turn: turn, of: of, tree: tree, last: -1, in: make(chan Event, recordBatch), hurry: make(chan chan struct{}), done: make(chan struct{})}
	go r.run() // ended and waited for by close
	return r
}

// record takes one event. It is not called after close.
func (r *recorder) record(ev Event) {
	ev = r.stamp(ev)
	for isPiece(ev) && len(ev.Text) > recordText {
		head := ev
		head.Text, ev.Text = splitText(ev.Text, recordText)
		r.in <- head
	}
	r.in <- ev
}

// isPiece reports whether an event is a piece of a message, which may come in
// more or fewer of them.
func isPiece(ev Event) bool { return ev.Kind == EventText || ev.Kind == EventThought }

// splitText splits text between characters; head has at most n bytes.
func splitText(text string, n int) (head, rest string) {
	at := n
	for at > n-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at], text[at:]
}

// flush returns when everything that was recorded before is stored.
func (r *recorder) flush() {
	stored := make(chan struct{})
	select {
	case r.hurry <- stored:
		<-stored
	case <-r.done:
	}
}

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
	for {
		select {
		case ev, open := <-r.in:
			if !open {
				return
			}
			batch, stored := r.gather(append(make([]Event, 0, recordBatch), ev))
			r.store(batch)
			if stored != nil {
				close(stored)
			}
		case stored := <-r.hurry:
			r.store(r.drain(nil))
			close(stored)
		}
	}
}

// gather collects what comes until the batch is full or old enough, or somebody
// waits for it.
func (r *recorder) gather(batch []Event) ([]Event, chan struct{}) {
	timer := time.NewTimer(recordEvery)
	defer timer.Stop()
	for len(batch) < recordBatch {
		if r.begins(batch[len(batch)-1]) {
			return r.drain(batch), nil
		}
		select {
		case ev, open := <-r.in:
			if !open {
				return batch, nil
			}
			batch = join(batch, ev)
		case stored := <-r.hurry:
			return r.drain(batch), stored
		case <-timer.C:
			return batch, nil
		}
	}
	return batch, nil
}

// drain adds what is in the channel to a batch, and no more: the agent may go on
// for ever.
func (r *recorder) drain(batch []Event) []Event {
	for range recordBatch {
		select {
		case ev, open := <-r.in:
			if !open {
				return batch
			}
			batch = join(batch, ev)
		default:
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
	if r.err != nil || len(batch) == 0 {
		return // lost, the turn is over already; what comes is still taken, so that the agent can end
	}
	var steps []Step
	if steps, r.err = r.steps(batch); r.err != nil {
		return
	}
	if _, r.err = r.e.Store.AppendTold(context.Background(), r.of, batch, steps); r.err == nil {
		r.e.announce(r.turn.Chat)
	}
}

// join appends an event, or adds its text to the last one if both are pieces
// of one message.
func join(batch []Event, ev Event) []Event {
	if len(batch) == 0 {
		return append(batch, ev)
	}
	last := &batch[len(batch)-1]
	if isPiece(ev) && last.Kind == ev.Kind && last.MessageID == ev.MessageID && len(last.Text)+len(ev.Text) <= recordText {
		last.Text += ev.Text
		return batch
	}
	return append(batch, ev)
}
