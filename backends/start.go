package backends

import (
	"context"

	"boo/orchestrator"
)

// Start brings a session about. req.Started is told of every process before a
// byte is sent to it. On error no process is left. It may be called
// concurrently.
func (r *Registry) Start(ctx context.Context, req orchestrator.SessionRequest) (orchestrator.AgentSession, error) {
	def, err := r.Definition(req.Agent)
	if err != nil {
		return nil, err
	}
	protocol, err := r.protocol(def)
	if err != nil {
		return nil, err
	}
	environ := r.environOf(req.Environ)
	found, err := find(def, r.configured[def.Name], r.data, environ)
	if err != nil {
		return nil, err
	}
	def = found.advise(def.settled(environ))
	program, args := found.command(def.Args)
	launch := func(ctx context.Context) (Child, error) {
		child, err := r.launcher.Launch(ctx, Command{
			Path: program,
			Args: args,
			Env:  environment(environ, def, req.Model),
			Dir:  string(req.Dir),
		})
		if err != nil {
			return nil, launchError(def, found, err)
		}
		process := child.Identity()
		process.Chat, process.Turn, process.Agent = req.Chat, req.Turn, req.Agent
		return tell(child, process, req.Started, req.Gone), nil
	}
	return protocol.Open(ctx, def, launch, req)
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
