package orchestrator

import (
	"context"
	"fmt"
	"strings"
)

// tearDown runs the teardown commands of the repository in a worktree that is
// about to go, if the person has approved them. What does not work is told and
// keeps no worktree: all that is in it is kept anyway. ran says that something was
// run, which may have changed files and has undone what the setup did.
func (e *Engine) tearDown(ctx context.Context, wt Worktree) (warnings []string, ran bool, err error) {
	if wt.Source == "" {
		return nil, false, nil
	}
	project, err := e.Projects.Project(ctx, wt.Source)
	if err != nil {
		return []string{fmt.Sprintf("%v; nothing was torn down", err)}, false, nil
	}
	set, ok, err := e.approved(ctx, wt.Repo, project, WorktreeCommands)
	if err != nil || !ok || len(project.Teardown) == 0 {
		return nil, false, err
	}
	if !set.Approved {
		return []string{fmt.Sprintf("%s/.boo.toml has teardown commands that you have not approved; they were not run", wt.Source)}, false, nil
	}
	for _, command := range project.Teardown {
		if why := e.tearDownBy(ctx, wt, project, command); why != "" {
			warnings = append(warnings, why)
		}
	}
	return warnings, true, context.Cause(ctx)
}

// tearDownBy runs one of them, and says why it did not work.
func (e *Engine) tearDownBy(ctx context.Context, wt Worktree, project Project, command string) string {
	result, err := e.runCommand(ctx, Turn{Chat: wt.Chat}, CommandRequest{
		Command: command, Dir: wt.Dir, Env: commandEnv(wt), EnvPass: project.EnvPass, Limit: project.Limit,
	})
	switch {
	case err != nil:
		return fmt.Sprintf("teardown command %q: %v", command, err)
	case result.TimedOut:
		return fmt.Sprintf("teardown command %q took more than %v", command, project.Limit)
	case !result.OK():
		return strings.TrimRight(fmt.Sprintf("teardown command %q ended with status %d: %s", command, result.Exit, result.Tail), ": \n")
	}
	return ""
}

// dismantle tears a worktree down that a verdict lets go, and judges it once more
// where commands have run in it. The setup is due again when it comes back.
func (e *Engine) dismantle(ctx context.Context, wt Worktree, done *Archived, force consent) error {
	var ran bool
	var err error
	if done.Warnings, ran, err = e.tearDown(ctx, wt); !ran {
		return err
	}
	if err := e.Store.SetSetup(context.WithoutCancel(ctx), wt.Chat, ""); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	done.Verdict = e.judge(ctx, []Worktree{wt}, map[ChatID]bool{wt.Chat: true})[0]
	return refused(done.Verdict, force)
}
