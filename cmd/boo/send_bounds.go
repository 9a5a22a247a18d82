package main

import (
	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

// boundsOptions is what a prompt's sender lays down for its turn.
type boundsOptions struct {
	Permissions string
	Limits      orchestrator.Limits
}

func boundsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "permissions", Usage: "who answers what the agent asks: ask, reject, or auto for what stays in the worktree (`MODE`; default: ask if a person is there, else reject)"},
		&cli.Int64Flag{Name: "max-tokens", DefaultText: "none", Usage: "halt the turn after `COUNT` tokens"},
		&cli.Float64Flag{Name: "max-cost", DefaultText: "none", Usage: "halt the turn after a cost of `AMOUNT`"},
		&cli.DurationFlag{Name: "max-time", DefaultText: "none", Usage: "halt the turn `TIME` after the prompt was sent, such as 20m"},
		&cli.IntFlag{Name: "max-calls", DefaultText: "none", Usage: "halt the turn after `COUNT` tool calls"},
	}
}

func boundsOf(c *cli.Context) boundsOptions {
	return boundsOptions{Permissions: c.String("permissions"), Limits: orchestrator.Limits{
		Tokens: c.Int64("max-tokens"), Cost: c.Float64("max-cost"), Time: c.Duration("max-time"), Calls: c.Int("max-calls"),
	}}
}

// put sets what was laid down.
func (o boundsOptions) put(req *orchestrator.SendRequest) error {
	mode, err := orchestrator.ParsePermissionMode(o.Permissions)
	if err == nil {
		err = checkLimits(o.Limits)
	}
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%w; nothing was sent", err).WithHint("boo chat send --help")
	}
	req.Permissions, req.Limits = mode, o.Limits
	return nil
}
