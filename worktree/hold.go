package worktree

import (
	"context"
	"errors"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/pack/objectid"
)

// hold is what calls share that belong to one piece of work in a checkout.
type hold struct {
	engine *Engine
	at     orchestrator.Checkout
	rules  func() (settings, error)

	mu    sync.Mutex
	store *store // nil until the first call that needs objects
}

type holdKey struct{}

// Hold keeps open, for the calls that are given the context it returns, what
// each would open by itself: the process that reads the repository's objects,
// and the rules of the checkout, which are those of now. Objects that these
// calls make are gathered, and are on disk after [Engine.Flush], before any ref
// is moved to them, and before git is asked about them. The caller releases,
// when none of the calls runs any more; what was not flushed is then gone.
func (e *Engine) Hold(ctx context.Context, c orchestrator.Checkout) (held context.Context, release func()) {
	h := &hold{engine: e, at: c}
	h.rules = sync.OnceValues(func() (settings, error) { return e.carry(context.WithoutCancel(ctx), c.GitDir, c.CommonDir) })
	var early sync.WaitGroup
	early.Go(h.begin)
	return context.WithValue(ctx, holdKey{}, h), func() {
		early.Wait()
		if h.store != nil {
			_ = h.store.close() // nothing refers to what it had not written
		}
	}
}

// begin reads the rules, and starts the process for the objects while the files
// are being looked at. Who needs either sees the error.
func (h *hold) begin() {
	rules, err := h.rules()
	if err != nil {
		return
	}
	ctx := context.WithValue(context.Background(), holdKey{}, h)
	if s, _, err := h.engine.objectsFor(ctx, h.at.CommonDir, rules.format().EmptyTree()); err == nil {
		_, _, _ = s.reader.Info(ctx, rules.format().EmptyTree())
	}
}

// Flush brings the objects that were made under a hold to the disk.
func (e *Engine) Flush(ctx context.Context) error {
	h := holdOf(ctx)
	if h == nil {
		return nil
	}
	return coded(h.flush(), "write objects")
}

func holdOf(ctx context.Context) *hold {
	h, _ := ctx.Value(holdKey{}).(*hold)
	return h
}

func (h *hold) flush() error {
	h.mu.Lock()
	s := h.store
	h.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.flush()
}

// objectsFor opens the objects of the repository that like is an id of, or
// returns those that are held. What is written is on disk when a store that is
// not held was closed without an error.
func (e *Engine) objectsFor(ctx context.Context, common orchestrator.GitDir, like orchestrator.ObjectID) (s *store, done func() error, err error) {
	format, err := objectid.FormatOf(like)
	if err != nil {
		return nil, nil, err
	}
	if h := holdOf(ctx); h != nil && h.at.CommonDir == common {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.store == nil {
			if h.store, err = e.openStore(common, like, format); err != nil {
				return nil, nil, err
			}
		}
		return h.store, func() error { return nil }, nil
	}
	if s, err = e.openStore(common, like, format); err != nil {
		return nil, nil, err
	}
	return s, func() error { return errors.Join(s.flush(), s.close()) }, nil
}

// settingsOf returns the settings that hold in a checkout.
func (e *Engine) settingsOf(ctx context.Context, c orchestrator.Checkout) (settings, error) {
	if h := holdOf(ctx); h != nil && h.at.GitDir == c.GitDir {
		return h.rules()
	}
	return e.carry(ctx, c.GitDir, c.CommonDir)
}

// runner runs git so that it finds the objects that were made before.
type runner struct{ *gitcmd.Git }

// Run is [gitcmd.Git.Run].
func (r runner) Run(ctx context.Context, c gitcmd.Call) (gitcmd.Output, error) {
	if h := holdOf(ctx); h != nil {
		if err := h.flush(); err != nil {
			return gitcmd.Output{}, err
		}
	}
	return r.Git.Run(ctx, c)
}

// Open is [gitcmd.Git.Open].
func (r runner) Open(ctx context.Context, c gitcmd.Call) (*gitcmd.Pipe, error) {
	if h := holdOf(ctx); h != nil {
		if err := h.flush(); err != nil {
			return nil, err
		}
	}
	return r.Git.Open(ctx, c)
}
