package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingConflictsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "conflicts",
		Usage: "say which pending changes collide with each other, or with your files",
		Description: "The changes of all chats of the repository are merged in memory, two by two and with your\n" +
			"files as they are now. Exit status 8 if some collide.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: "only what `CHAT` has a part in"},
			toggle("all", "of every repository", "a"),
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runPendingConflicts(c.Context, e, reviewing(c, e))
		},
	}
}

// collisionView is one collision as --json prints it: two sides, of which the
// second may be a checkout.
type collisionView struct {
	Path   orchestrator.Path `json:"path"`
	Reason string            `json:"reason"`
	Sides  []sideView        `json:"sides"`
}

type sideView struct {
	Chat     orchestrator.ChatID      `json:"chat,omitempty"`
	Change   orchestrator.ChangeID    `json:"change,omitempty"`
	Agents   []orchestrator.AgentName `json:"agents,omitempty"`
	Checkout orchestrator.CheckoutDir `json:"checkout,omitempty"`
}

func viewCollision(c orchestrator.Collision) collisionView {
	side := func(c orchestrator.Change) sideView { return sideView{Chat: c.Chat, Change: c.ID, Agents: c.Agents()} }
	v := collisionView{Path: c.Path, Reason: c.Reason, Sides: []sideView{side(c.Change)}}
	if c.With != nil {
		v.Sides = append(v.Sides, side(*c.With))
	} else {
		v.Sides = append(v.Sides, sideView{Checkout: c.Checkout})
	}
	return v
}

func runPendingConflicts(ctx context.Context, e *env, sel orchestrator.ReviewSelector) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	found, err := svc.Conflicts(ctx, sel)
	if err != nil {
		return err
	}
	paths := map[orchestrator.Path]bool{}
	for _, c := range found {
		paths[c.Path] = true
		if e.JSON {
			if err := e.Stdout.JSON(viewCollision(c)); err != nil {
				return err
			}
			continue
		}
		showCollision(e, c)
	}
	if len(found) == 0 {
		if !e.JSON {
			e.Stderr.Println(tty.Green("✓ "), tty.Plain("nothing that is pending collides"))
		}
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "%s in %s", plural(len(found), "collision"), plural(len(paths), "path")).
		WithHint("boo pending show %s", found[0].Change.ID)
}

func showCollision(e *env, c orchestrator.Collision) {
	side := func(c orchestrator.Change) string {
		return fmt.Sprintf("%s of chat %s (%s)", c.ID, c.Chat, names(c.Agents()))
	}
	with := "your files in " + string(c.Checkout)
	if c.With != nil {
		with = side(*c.With)
	}
	e.Stdout.Println(tty.Red(c.Path.String()), tty.Plain("  "+side(c.Change)), tty.Dim(" × "), tty.Plain(with), tty.Dim("  "+c.Reason))
}
