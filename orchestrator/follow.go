package orchestrator

import (
	"context"
	"time"
)

const (
	followBatch = 500
	// A turn that another process runs cannot wake us: its events are looked
	// for at this interval.
	followEvery = 100 * time.Millisecond
)

// Follow passes a turn's events on; see [Service.Follow].
func (e *Engine) Follow(ctx context.Context, turn TurnID, after Seq, yield func(Event) error) error {
	t, err := e.Store.Turn(ctx, turn)
	if err != nil {
		return err
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	// Taken once: when its goroutine is through, the turn is live no more, and
	// why it could not be settled is known here only.
	live := e.liveTurn(turn)
	for {
		news := e.news(t.Chat)
		over, err := e.passOn(ctx, t, &after, yield)
		if over || err != nil {
			return err
		}
		var done <-chan struct{}
		var poll <-chan time.Time
		if live != nil {
			done = live.done
		} else {
			poll = tick.C
		}
		select {
		case <-news:
		case <-poll:
			if err := e.followStranger(ctx, turn); err != nil {
				return err
			}
		case <-done:
			over, err := e.passOn(ctx, t, &after, yield)
			if !over && err == nil {
				err = live.lost()
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// passOn yields what is stored after a number; over reports that the turn's
// last event was among it.
func (e *Engine) passOn(ctx context.Context, t Turn, after *Seq, yield func(Event) error) (over bool, err error) {
	for {
		events, err := e.Store.Events(ctx, t.Chat, t.ID, *after, followBatch)
		if err != nil {
			return false, err
		}
		for _, ev := range events {
			*after = ev.Seq
			if err := yield(ev); err != nil {
				return false, err
			}
			if ev.Kind == EventTurn && ev.State.Terminal() {
				return true, nil
			}
		}
		if len(events) < followBatch {
			return false, nil
		}
	}
}

// followStranger settles a turn whose owner, another process, has died, or
// which this one could not settle.
func (e *Engine) followStranger(ctx context.Context, turn TurnID) error {
	t, err := e.Store.Turn(ctx, turn)
	if err != nil || t.State.Terminal() || e.Processes.Alive(t.Owner) && !e.abandoned(t) {
		return err
	}
	_, err = e.Recover(ctx)
	return err
}
