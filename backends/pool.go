package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"boo/orchestrator"
)

// PoolOptions bounds a [Pool]. Zero fields have the defaults.
type PoolOptions struct {
	// Idle is how long a session stays warm without a turn; 30 min.
	Idle time.Duration
	// MaxLive is how many agents may be alive; 10.
	MaxLive int
	// MaxRSS is how much memory they may hold with everything below them, in
	// bytes; 4 GiB. A negative one is no limit.
	MaxRSS int64
	// Dir is where an agent is started that serves several worktrees, so that
	// it stands in none of them: a directory of boo's own, made when needed.
	// Without one every session has its own process.
	Dir string
}

// The defaults of a pool.
const (
	DefaultIdle    = 30 * time.Minute
	DefaultMaxLive = 10
	DefaultMaxRSS  = 4 << 30
)

// maxSessions bounds how many sessions one process holds: with it ends the
// warmth of all of them.
const maxSessions = 16

// Pool keeps sessions warm between turns. It implements orchestrator.Agents
// over a registry; the package comment draws the life of what it holds.
type Pool struct {
	*Registry
	opts PoolOptions

	mu       sync.Mutex
	closed   bool
	hosts    []*pooled
	starting map[key]chan struct{} // closed when that start, or eviction, is over
	crashes  crashes
	timer    *time.Timer
	weighing bool
	tasks    sync.WaitGroup // all goroutines; added to under mu until closed
}

var _ orchestrator.Agents = (*Pool)(nil)

// NewPool returns a pool over a registry. Close has to be called.
func NewPool(r *Registry, o PoolOptions) *Pool {
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.MaxLive = cmp.Or(o.MaxLive, DefaultMaxLive)
	o.MaxRSS = cmp.Or(o.MaxRSS, DefaultMaxRSS)
	return &Pool{Registry: r, opts: o, starting: map[key]chan struct{}{}, crashes: crashes{}}
}

// Start takes the chat's warm session with the agent if that fits the request,
// else it brings one about: in an agent that has room for it, or in a new one.
// One start at a time is under way for a chat and an agent.
func (p *Pool) Start(ctx context.Context, req orchestrator.SessionRequest) (orchestrator.AgentSession, error) {
	plan, err := p.plan(req)
	if err != nil {
		return nil, err
	}
	k := key{req.Chat, req.Agent}
	leave, err := p.enter(ctx, k)
	if err != nil {
		return nil, err
	}
	defer leave()
	for {
		h, s, err := p.take(ctx, k, plan, req)
		if err != nil {
			return nil, err
		}
		if s != nil {
			s.session.Serve(req)
			return &lease{pool: p, host: h, key: k, turn: req.Turn, session: s.session, warm: true}, nil
		}
		had := h.host != nil
		session, err := p.open(ctx, h, plan, req)
		if err == nil {
			return &lease{pool: p, host: h, key: k, turn: req.Turn, session: session}, nil
		}
		died := had && h.over()
		_ = p.leave(context.WithoutCancel(ctx), h, k) // the error that led here says more
		// An agent that ended while it was idle says nothing about this session.
		if !died || ctx.Err() != nil {
			return nil, err
		}
	}
}

// enter waits until no start or eviction of k is under way, and begins one.
func (p *Pool) enter(ctx context.Context, k key) (leave func(), err error) {
	for {
		p.mu.Lock()
		other, busy := p.starting[k]
		if !busy {
			mine := make(chan struct{})
			p.starting[k] = mine
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.starting, k)
				close(mine)
			}, nil
		}
		p.mu.Unlock()
		if err := await(ctx, other); err != nil {
			return nil, err
		}
	}
}

// await waits for a channel to be closed.
func await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the agent's session: %w", context.Cause(ctx))
	}
}

// open brings the session about, and the agent before, if it is not there yet.
func (p *Pool) open(ctx context.Context, h *pooled, plan plan, req orchestrator.SessionRequest) (Session, error) {
	if h.host == nil {
		shared := plan.def.Shared && p.opts.Dir != ""
		dir := string(req.Dir)
		if shared {
			dir = p.opts.Dir
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return nil, orchestrator.Errorf(orchestrator.CodeDenied, "make a directory for agent %s: %w", req.Agent, err)
			}
		}
		host, child, err := p.boot(ctx, plan, req, dir)
		if err != nil {
			if h.many && child != nil && ctx.Err() == nil {
				p.crashed(key{agent: h.agent}, err)
			}
			return nil, err
		}
		if err := p.admit(ctx, h, host, child, shared); err != nil {
			return nil, err
		}
	}
	session, err := h.host.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.phase != busy {
		return nil, p.shut(h.agent)
	}
	h.sessions[key{req.Chat, req.Agent}] = &warm{session: session, want: wanted(req), ended: req.Ended}
	return session, nil
}

// admit puts a new agent under the pool's watch.
func (p *Pool) admit(ctx context.Context, h *pooled, host Host, child Child, shared bool) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return errors.Join(p.shut(h.agent), host.Close(context.WithoutCancel(ctx)))
	}
	h.host, h.child, h.shared = host, child, shared && host.Shares()
	h.many = h.many && h.shared
	h.move(busy) // who waits for it to come up may go on
	p.tasks.Go(func() { p.watch(h) })
	p.mu.Unlock()
	return nil
}

func (p *Pool) shut(agent orchestrator.AgentName) error {
	return orchestrator.Errorf(orchestrator.CodeInterrupted, "boo is shutting down; agent %s was not started", agent)
}
