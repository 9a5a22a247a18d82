package backends

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"boo/orchestrator"
)

// lease is a session of the pool in the hands of a turn. Once it was closed or
// given back, it does nothing any more: the session may be another turn's.
type lease struct {
	pool    *Pool
	host    *pooled
	key     key
	turn    orchestrator.TurnID
	session Session
	warm    bool
	back    atomic.Bool
}

// Info tells how the session came to be.
func (l *lease) Info() orchestrator.SessionInfo {
	info := l.session.Info()
	if l.warm {
		info.Rung, info.Replayed = orchestrator.RungWarm, 0
	}
	return info
}

// Prompt takes the turn; see orchestrator.AgentSession.
func (l *lease) Prompt(ctx context.Context, blocks []string, sent func() error, sink func(orchestrator.Event)) (orchestrator.TurnResult, error) {
	result, err := l.session.Prompt(ctx, blocks, sent, sink)
	if errors.Is(err, orchestrator.ErrAgentDied) || errors.Is(err, orchestrator.ErrUnsent) {
		l.pool.crashed(l.key, err)
	}
	return result, err
}

// Stop cancels the turn; see orchestrator.AgentSession.
func (l *lease) Stop(ctx context.Context, grace time.Duration) error {
	if l.back.Load() {
		return nil
	}
	return l.session.Stop(ctx, grace)
}

// Close ends the agent, with every session that was warm in it: nothing is
// left of what the turn started. Where several turns run at once, and leave
// nothing behind when they are stopped, only the session is put away.
func (l *lease) Close(ctx context.Context) error {
	if l.back.Swap(true) {
		return nil
	}
	return l.pool.leave(ctx, l.host, l.key)
}

// Release keeps the session warm.
func (l *lease) Release(ctx context.Context) error {
	if l.back.Swap(true) {
		return nil
	}
	return l.pool.release(ctx, l.host, l.key, l.turn)
}
