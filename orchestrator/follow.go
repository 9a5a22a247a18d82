package orchestrator

import (
	"context"
	"errors"
	"time"
)

const (
	followBatch = 500
	// A turn that another process runs cannot wake us: its events are looked
	// for at this interval.
	followEvery = 100 * time.Millisecond
	// While nobody else is known to be at a chat, that somebody begins is looked
	// for at this interval.
	followIdle = 2 * time.Second
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
		if over && err == nil {
			err = e.followUp(ctx, t, live, after, yield)
		}
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
			switch {
			case err != nil:
				return err
			case !over:
				return live.lost()
			}
			return e.followUp(ctx, t, live, after, yield)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// followUp yields what has to be said of a turn after its end. Where that can be
// a failure of the person's hook, or nobody lives who will compare the files with
// what was seen of them, it waits for that; and else what corrects a turn is in
// the chat's log.
func (e *Engine) followUp(ctx context.Context, t Turn, live *liveTurn, after Seq, yield func(Event) error) error {
	switch {
	case live == nil:
		if err := e.confirmed(ctx, "", t.Chat); err != nil {
			return err
		}
	case live.hooked():
		select {
		case <-live.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	default:
		return nil
	}
	_, err := e.passOn(ctx, t, &after, yield)
	return err
}

// passOn yields what is stored of a turn after a number; over reports that the
// turn's last event was among it.
func (e *Engine) passOn(ctx context.Context, t Turn, after *Seq, yield func(Event) error) (over bool, err error) {
	err = e.passStored(ctx, t.Chat, t.ID, after, func(ev Event) error {
		if err := yield(ev); err != nil {
			return err
		}
		if ev.Kind == EventTurn && ev.State.Terminal() {
			return errPassedAll
		}
		return nil
	})
	if errors.Is(err, errPassedAll) {
		return true, nil
	}
	return false, err
}

// errPassedAll ends the passing on of a turn's events after its last.
var errPassedAll = errors.New("that was the last event")

// passStored yields the stored events of a chat, or of one turn of it, after a
// number, and moves the number on. It holds one batch in memory, however slow
// yield is, and no transaction while yield runs.
func (e *Engine) passStored(ctx context.Context, chat ChatID, turn TurnID, after *Seq, yield func(Event) error) error {
	for {
		events, err := e.Store.Events(ctx, chat, turn, *after, followBatch)
		if err != nil {
			return err
		}
		for _, ev := range events {
			*after = ev.Seq
			if err := yield(ev); err != nil {
				return err
			}
		}
		if len(events) < followBatch {
			return nil
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

// FollowChat passes a chat's events on; see [Service.FollowChat].
func (e *Engine) FollowChat(ctx context.Context, chat ChatID, after Seq, yield func(Event) error) error {
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return err
	}
	after = max(after, c.LogAfter)
	for {
		news := e.news(chat)
		if err := e.passStored(ctx, chat, "", &after, yield); err != nil {
			return err
		}
		wait, err := e.pollOf(ctx, chat)
		if err != nil {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-news:
		case <-timer.C:
		case <-e.life.Done():
			err = Errorf(CodeInterrupted, "boo is shutting down")
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// pollOf is how soon a chat has to be looked at again without being told: soon
// while another process takes its turns, which cannot wake us.
func (e *Engine) pollOf(ctx context.Context, chat ChatID) (time.Duration, error) {
	open, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return 0, err
	}
	for _, t := range open {
		if t.Chat != chat || e.liveTurn(t.ID) != nil {
			continue
		}
		if err := e.followStranger(ctx, t.ID); err != nil {
			return 0, err
		}
		return followEvery, nil
	}
	return followIdle, nil
}
