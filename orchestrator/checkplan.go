package orchestrator

import (
	"context"
	"strings"
	"time"
)

// checkPlan is the checks that changes have to pass.
type checkPlan struct {
	checks  []plannedCheck
	limit   time.Duration
	include []string
	// skipped is set when the project requires checks that the person does without.
	skipped bool
}

type plannedCheck struct {
	Check
	envPass []string
}

// checksOf finds out by which checks the changes are to be judged. Without any
// it costs the look for a project file.
func (e *Engine) checksOf(ctx context.Context, repo RepoID, c Checkout, o CheckOptions) (checkPlan, error) {
	project, err := e.Projects.Project(ctx, c.Dir)
	if err != nil && o.Mode == CheckSkipped {
		return checkPlan{skipped: true}, nil // it might have required them
	}
	if err != nil {
		return checkPlan{}, Errorf(CodeOf(err), "%w; so it is not known by what changes are to be checked, and nothing was written", err).
			WithHint("boo pending apply --no-checks")
	}
	plan := checkPlan{limit: project.CheckLimit, include: project.Include}
	if o.Mode == CheckSkipped {
		plan.skipped = project.RequireChecks
		return plan, nil
	}
	if o.Mode == CheckRequired || project.RequireChecks {
		if plan.checks, err = e.approvedChecks(ctx, repo, c, project); err != nil {
			return plan, err
		}
		if len(plan.checks)+len(o.Commands) == 0 {
			return plan, Errorf(CodeInvalid, "there are no checks: %s/.boo.toml has none in [checks]; nothing was written", c.Dir).
				WithHint("boo pending check --check-cmd COMMAND")
		}
	}
	for _, command := range o.Commands {
		plan.checks = append(plan.checks, plannedCheck{Check: Check{Name: nameOfCommand(command), Command: command}})
	}
	return plan, nil
}

// approvedChecks are those of the project file.
func (e *Engine) approvedChecks(ctx context.Context, repo RepoID, c Checkout, project Project) ([]plannedCheck, error) {
	set, ok, err := e.approved(ctx, repo, project, CheckCommands)
	if err != nil || !ok {
		return nil, err
	}
	if !set.Approved {
		return nil, Errorf(CodeDenied, "%s/.boo.toml has checks that you have not approved; nothing was run, and nothing was written", c.Dir).
			WithHint("boo approve")
	}
	checks := make([]plannedCheck, 0, len(project.Checks))
	for _, check := range project.Checks {
		checks = append(checks, plannedCheck{Check: check, envPass: project.EnvPass})
	}
	return checks, nil
}

// longestCheckName bounds the names of checks that have none but their command.
const longestCheckName = 30

func nameOfCommand(command string) string {
	name, _, more := strings.Cut(strings.TrimSpace(command), "\n")
	if runes := []rune(name); len(runes) > longestCheckName {
		name, more = string(runes[:longestCheckName-1]), true
	}
	if more {
		name += "…"
	}
	return name
}
