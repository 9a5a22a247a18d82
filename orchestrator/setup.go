package orchestrator

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// furnish gives a worktree that has just been made what its base does not hold.
func (e *Engine) furnish(ctx context.Context, t Turn, wt Worktree, environ []string) error {
	if wt.Source == "" {
		return nil
	}
	if len(wt.Sparse) > 0 {
		e.say(ctx, t, "the worktree has only the files of "+strings.Join(wt.Sparse, ", "))
	}
	project, err := e.Projects.Project(ctx, wt.Source)
	if err != nil {
		project = Project{} // setUp tells of it
	}
	warnings, err := e.Trees.Furnish(ctx, wt, FurnishRequest{Include: project.Include, Environ: environ})
	for _, warning := range warnings {
		e.say(ctx, t, warning)
	}
	return err
}

// setUp runs the setup commands of the repository in a worktree that has not
// had them, if the person has approved them, and says what they write. When one
// fails the turn does, the worktree stays, and the next turn tries again.
func (e *Engine) setUp(ctx context.Context, t Turn, wt Worktree, environ []string) error {
	if wt.Setup != "" || wt.Source == "" {
		return nil
	}
	project, err := e.Projects.Project(ctx, wt.Source)
	if err != nil {
		e.sayOnce(ctx, t, fmt.Sprintf("%v; nothing of it is used", err))
		return nil
	}
	set, ok, err := e.approved(ctx, wt.Repo, project, WorktreeCommands)
	if err != nil || !ok || len(project.Setup) == 0 {
		return err
	}
	if !set.Approved {
		e.sayOnce(ctx, t, fmt.Sprintf("%s/.boo.toml has setup commands that you have not approved; they were not run. See and approve them: boo approve", wt.Source))
		return nil
	}
	for _, command := range project.Setup {
		if err := e.setUpBy(ctx, t, wt, project, command, environ); err != nil {
			return err
		}
	}
	return e.Store.SetSetup(ctx, wt.Chat, set.Digest)
}

func (e *Engine) setUpBy(ctx context.Context, t Turn, wt Worktree, project Project, command string, environ []string) error {
	e.say(ctx, t, "setup: "+command)
	out := &noticed{tell: func(text string) { e.say(ctx, t, text) }}
	result, err := e.runCommand(ctx, t, CommandRequest{
		Command: command, Dir: wt.Dir, Env: commandEnv(wt), EnvPass: project.EnvPass, Environ: environ, Limit: project.Limit, Output: out.write,
	})
	out.flush()
	switch {
	case err != nil:
		return fmt.Errorf("set up the worktree: %w", err)
	case result.OK():
		return nil
	}
	why := fmt.Sprintf("ended with status %d", result.Exit)
	if result.TimedOut {
		why = fmt.Sprintf("took more than %v", project.Limit)
	}
	return Errorf(CodeCommand, "setup command %q %s; the worktree is kept, and the next prompt tries again:\n%s",
		command, why, strings.TrimRight(result.Tail, "\n")).WithHint("cd %s && %s", wt.Dir, command)
}

// runCommand runs an approved command on behalf of a turn. Its processes are on
// record while it runs.
func (e *Engine) runCommand(ctx context.Context, t Turn, req CommandRequest) (CommandResult, error) {
	var started []Process
	req.Started = func(p Process) {
		p.Chat, p.Turn = t.Chat, t.ID
		started = append(started, p)
		_ = e.Store.PutProcess(ctx, p) // the supervisor is the first line of defence
	}
	result, err := e.Commands.Run(ctx, req)
	for _, p := range started {
		_ = e.Store.DeleteProcess(context.WithoutCancel(ctx), p) // a stale row is found out by its start time
	}
	return result, err
}

// commandEnv is what commands of a repository are told of where they run.
func commandEnv(wt Worktree) []string {
	env := []string{
		"BOO_SOURCE_PATH=" + string(wt.Source), "BOO_WORKTREE_PATH=" + string(wt.Dir), "BOO_CHAT=" + string(wt.Chat),
	}
	if wt.Port > 0 {
		env = append(env, fmt.Sprintf("BOO_PORT=%d", wt.Port))
	}
	return env
}

// sayOnce tells something at a chat's first turn only.
func (e *Engine) sayOnce(ctx context.Context, t Turn, text string) {
	if t.Number == 1 {
		e.say(ctx, t, text)
	}
}

// noticed passes what a command writes on as notices of whole lines.
type noticed struct {
	tell func(text string)
	rest []byte
	told int
}

const (
	longestLine = 4 << 10
	mostTold    = 64 << 10 // bytes of one command's output; the end of it is told if it fails
)

func (n *noticed) write(piece []byte) {
	n.rest = append(n.rest, piece...)
	end := bytes.LastIndexByte(n.rest, '\n') + 1
	if end == 0 && len(n.rest) >= longestLine {
		end = len(n.rest)
	}
	n.pass(n.rest[:end])
	n.rest = n.rest[end:]
}

func (n *noticed) flush() {
	n.pass(n.rest)
	n.rest = nil
}

func (n *noticed) pass(text []byte) {
	text = bytes.TrimRight(text, "\n")
	if len(text) == 0 || n.told > mostTold {
		return
	}
	if n.told += len(text); n.told > mostTold {
		n.tell("… it writes more than is shown")
		return
	}
	n.tell(strings.ToValidUTF8(string(text), "\uFFFD"))
}
