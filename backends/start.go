package backends

import (
	"context"

	"boo/orchestrator"
)

// Start brings a session about, with a process of its own that ends with it.
// req.Started is told of every process before a byte is sent to it. On error
// no process is left. It may be called concurrently.
func (r *Registry) Start(ctx context.Context, req orchestrator.SessionRequest) (orchestrator.AgentSession, error) {
	p, err := r.plan(req)
	if err != nil {
		return nil, err
	}
	host, _, err := r.boot(ctx, p, req, string(req.Dir))
	if err != nil {
		return nil, err
	}
	session, err := host.Open(ctx, req)
	if err != nil {
		_ = host.Close(context.WithoutCancel(ctx)) // the error that led here says more
		return nil, err
	}
	return sole{session, host, req.Ended}, nil
}

// sole is a session with a process of its own.
type sole struct {
	Session
	host  Host
	ended func(error)
}

// Close ends the session with its process.
func (s sole) Close(ctx context.Context) error { return s.host.Close(ctx) }

// Release is Close: a registry keeps nothing warm.
func (s sole) Release(ctx context.Context) error {
	err := s.Close(ctx)
	if s.ended != nil {
		s.ended(nil)
	}
	return err
}

// boot starts the agent in a directory; req is told of the process.
func (r *Registry) boot(ctx context.Context, p plan, req orchestrator.SessionRequest, dir string) (Host, Child, error) {
	var child Child
	host, err := p.protocol.Boot(ctx, p.def, func(ctx context.Context, adjust func([]string) ([]string, error)) (Child, error) {
		env := p.env
		if adjust != nil {
			var err error
			if env, err = adjust(env); err != nil {
				return nil, err
			}
		}
		launched, err := r.launcher.Launch(ctx, Command{Path: p.program, Args: p.args, Env: env, Dir: dir})
		if err != nil {
			return nil, launchError(p.def, p.found, err)
		}
		process := launched.Identity()
		process.Chat, process.Turn, process.Agent = req.Chat, req.Turn, req.Agent
		child = tell(launched, process, req.Started, req.Gone)
		return child, nil
	})
	return host, child, err
}

// launchError gives the failure of a start the code of an agent's failure,
// unless it has one already.
func launchError(def Definition, found Found, err error) error {
	if code := orchestrator.CodeOf(err); code != orchestrator.CodeInternal {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeAgent, "start agent %s (%s): %w", def.Name, found.Path, err).
		WithHint("boo agents doctor %s", def.Name)
}
