package backends

import (
	"context"
	"os"
	"slices"
	"time"

	"boo/orchestrator"
)

// Forget has an agent delete a session from its own store, in a process that is
// started for it, and ends with it. One that never advertised that it can is not
// started.
func (r *Registry) Forget(ctx context.Context, req orchestrator.ForgetRequest) (deleted bool, err error) {
	plan, start, err := r.forgetting(req)
	if err != nil || !able(req) {
		return false, err
	}
	return r.forget(ctx, plan, start, req)
}

// forgetting says how the agent would be started: outside of the worktree, which
// may be gone, and where nothing of another agent's is read.
func (r *Registry) forgetting(req orchestrator.ForgetRequest) (plan, orchestrator.SessionRequest, error) {
	start := orchestrator.SessionRequest{Chat: req.Chat, Agent: req.Agent, Dir: orchestrator.WorktreeDir(r.data), Environ: req.Environ}
	if r.data == "" {
		start.Dir = orchestrator.WorktreeDir(os.TempDir())
	}
	p, err := r.plan(start)
	return p, start, err
}

// able reports whether there is use in asking: what is not known is asked for.
func able(req orchestrator.ForgetRequest) bool {
	if len(req.Caps) == 0 {
		return true
	}
	can, _ := Abilities(req.Caps)
	return slices.Contains(can, "delete")
}

func (r *Registry) forget(ctx context.Context, p plan, start orchestrator.SessionRequest, req orchestrator.ForgetRequest) (deleted bool, err error) {
	host, _, err := r.boot(ctx, p, start, string(start.Dir))
	if err != nil {
		return false, err
	}
	deleted, err = host.Forget(ctx, string(req.Dir), req.NativeID)
	_ = host.Close(context.WithoutCancel(ctx)) // what was asked for is answered
	return deleted, err
}

// Forget has an agent delete a session: one that is alive, if there is one with
// that environment.
func (p *Pool) Forget(ctx context.Context, req orchestrator.ForgetRequest) (deleted bool, err error) {
	plan, start, err := p.forgetting(req)
	if err != nil || !able(req) {
		return false, err
	}
	p.mu.Lock()
	var host Host
	for _, h := range p.hosts {
		if h.identity == plan.identity && h.host != nil && !h.over() && (h.phase == free || h.phase == busy) {
			host = h.host
		}
	}
	p.mu.Unlock()
	if host != nil {
		if deleted, err = host.Forget(ctx, string(req.Dir), req.NativeID); err == nil {
			return deleted, nil
		}
	}
	if plan.def.Concurrent {
		p.mu.Lock()
		err := p.crashes.checkServer(key{agent: req.Agent}, time.Now())
		p.mu.Unlock()
		if err != nil {
			return false, err
		}
	}
	return p.forget(ctx, plan, start, req)
}
