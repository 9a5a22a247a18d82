package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatCreateCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "create",
		Usage:     "make a chat with a name, to send prompts to",
		ArgsUsage: "NAME",
		Description: "A chat with a name goes on for as long as you want it: every command takes the name\n" +
			"in place of the chat's id, within its repository. Its agent takes all prompts that\n" +
			"name no other:\n" +
			"  boo chat create nightly --agent goose\n" +
			"  boo chat send -c nightly \"update the dependencies\"",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "`AGENT` of the chat (default: as for boo chat send)"},
			&cli.StringFlag{Name: "model", Usage: "`MODEL` that the agent shall use"},
			baseFlag(), sparseFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usageError(c, fmt.Errorf("a chat is made with one name"), false)
			}
			req := orchestrator.CreateRequest{
				Dir: e.Dir, Name: c.Args().First(), Model: c.String("model"), Base: c.String("base"), Sparse: c.StringSlice("sparse"),
				Environ: personEnviron(e.Environ()),
			}
			var err error
			if req.Agent, err = namedAgent(c.String("agent")); err != nil {
				return err
			}
			return runChatCreate(c.Context, e, req)
		},
	}
}

// baseFlag and sparseFlag are for commands that begin chats.
func baseFlag() cli.Flag {
	return &cli.StringFlag{Name: "base", Usage: "`REVISION` that a new chat starts from (default: HEAD); or fresh, the remote's default branch, fetched now; pr/7, a pull request; dirty, HEAD with your uncommitted and untracked work"}
}

func sparseFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "sparse", Usage: "a new chat's worktree has only the files of `DIR`; may be repeated (default: as .boo.toml says, or as your checkout)"}
}

// namedAgent is what --agent names; "" if it was not given.
func namedAgent(value string) (orchestrator.AgentName, error) {
	if value == "" {
		return "", nil
	}
	agent, err := orchestrator.ParseAgentName(value)
	if err != nil {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "--agent: %w", err).WithHint("boo agents ls")
	}
	return agent, nil
}

func runChatCreate(ctx context.Context, e *env, req orchestrator.CreateRequest) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	chat, err := svc.CreateChat(ctx, req)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(viewChat(chat))
	}
	e.Stdout.Println(tty.Cyan(string(chat.ID)), tty.Plain(" "+string(chat.Name)))
	e.Stderr.Println(tty.Dim("its prompts go to "+string(chat.Agent)+"; send it one: "), tty.Bold("boo chat send -c "+string(chat.Name)+" …"))
	return nil
}
