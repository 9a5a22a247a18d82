package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/backends"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "chat",
		Usage: "talk with agents: each chat has a worktree of its own",
		Subcommands: []*cli.Command{
			chatSendCommand(e), chatCreateCommand(e), chatServeCommand(e), chatLsCommand(e), chatShowCommand(e), chatLogCommand(e), chatTranscriptCommand(e), chatReplayCommand(e), chatShellCommand(e), chatRestartCommand(e), chatWaitCommand(e), chatStopCommand(e),
			chatResetCommand(e), chatCloseCommand(e), chatReopenCommand(e), chatRmCommand(e),
		},
	}
}

func chatLsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "ls",
		Usage: "list the chats of this repository",
		Flags: []cli.Flag{toggle("all", "the chats of all repositories, those that were removed too", "a")},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runChatLs(c.Context, e, c.Bool("all"))
		},
	}
}

func runChatLs(ctx context.Context, e *env, all bool) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	chats, err := svc.Chats(ctx, orchestrator.ChatsRequest{Dir: e.Dir, All: all, Brief: !e.JSON && !all})
	if err != nil {
		return err
	}
	if e.JSON {
		for _, c := range chats {
			if err := e.Stdout.JSON(viewChat(c)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(chats) == 0 {
		e.Stderr.Println(tty.Plain("no chats here yet; begin one: "), tty.Bold(`boo chat send "what you want done"`))
		return nil
	}
	t := tty.Table{Path: 6, Prose: true, Right: map[int]bool{2: true, 3: true}}
	t.Row(tty.Dim("CHAT"), tty.Dim("USED"), tty.Dim("TURNS"), tty.Dim("PENDING"), tty.Dim("LAST"), tty.Dim("AGENTS"), tty.Dim("TITLE"))
	for _, c := range chats {
		title := titleOf(c)
		if all {
			title = filepath.Base(string(c.RepoRoot)) + ": " + title
		}
		t.Row(tty.Cyan(string(c.ID)), tty.Plain(ago(e.Now(), c.LastUsedAt)), tty.Plain(strconv.Itoa(c.Turns)),
			pendingCount(c.Pending), lastSpan(c), tty.Plain(names(c.Agents)), tty.Plain(title))
	}
	t.Print(e.Stdout)
	return nil
}

// titleOf is a chat's title, after its name if it has one.
func titleOf(c orchestrator.ChatSummary) string {
	if c.Name == "" || c.Title == "" {
		return string(c.Name) + c.Title
	}
	return string(c.Name) + ": " + c.Title
}

func pendingCount(n int) tty.Span {
	if n == 0 {
		return tty.Dim("-")
	}
	return tty.Yellow(strconv.Itoa(n))
}

// lastSpan says how a chat's last turn ended, or that the chat itself has.
func lastSpan(c orchestrator.ChatSummary) tty.Span {
	if c.Chat.State != orchestrator.ChatOpen {
		return tty.Dim(c.Chat.State.Words())
	}
	return stateSpan(c.LastState)
}

func stateSpan(s orchestrator.TurnState) tty.Span {
	switch s {
	case "":
		return tty.Dim("-")
	case orchestrator.TurnCompleted:
		return tty.Green(string(s))
	case orchestrator.TurnFailed, orchestrator.TurnInterrupted, orchestrator.TurnHalted, orchestrator.TurnCancelled:
		return tty.Red(stateName(s))
	}
	return tty.Yellow(string(s))
}

func names(agents []orchestrator.AgentName) string {
	var out []string
	for _, a := range agents {
		out = append(out, string(a))
	}
	return strings.Join(out, ", ")
}

func chatShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show a chat: its turns, sessions and places",
		ArgsUsage: "[CHAT]",
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatShow(c.Context, e, ref)
		},
	}
}

// chatArg is the one chat that a command may name.
func chatArg(c *cli.Context, e *env) (orchestrator.ChatRef, error) {
	ref := orchestrator.ChatRef{Dir: e.Dir, Prefix: c.Args().First()}
	if c.NArg() == 1 && ref.Prefix == "" {
		return ref, usageError(c, fmt.Errorf("the name of the chat is empty"), false)
	}
	if c.NArg() > 1 {
		return ref, usageError(c, fmt.Errorf("one chat at a time, not %d", c.NArg()), false)
	}
	return ref, nil
}

func runChatShow(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	d, err := svc.Chat(ctx, ref)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(viewDetail(d))
	}
	out := e.Stdout
	out.Println(tty.Cyan(string(d.ID)), tty.Plain("  "), tty.Bold(titleOf(d.ChatSummary)))
	facts := tty.Table{Path: -1}
	fact := func(name, value string) { facts.Row(tty.Dim("  "+name), tty.Plain(value)) }
	fact("repository", string(d.RepoRoot))
	fact("worktree", fmt.Sprintf("%s (%s)", d.Worktree.Dir, d.Worktree.State))
	if d.Worktree.Reason != "" {
		fact("", d.Worktree.Reason)
	}
	fact("base", d.Worktree.Base.Short())
	fact("last used", ago(e.Now(), d.LastUsedAt))
	if d.Chat.State != orchestrator.ChatOpen {
		fact("state", d.Chat.State.Words()+" "+ago(e.Now(), d.ClosedAt)+"; to open it again: boo chat reopen "+string(d.ID))
	}
	for _, s := range d.Sessions {
		fact("session", sessionWords(s))
	}
	facts.Print(out)
	showTurns(e, d)
	if d.Pending > 0 {
		out.Println(tty.Plain(plural(d.Pending, "change")+" pending: "), tty.Bold("boo pending ls -c "+string(d.ID)))
	}
	return nil
}

// sessionWords says how an agent's session stands, and what the agent can do
// with it.
func sessionWords(s orchestrator.Session) string {
	words := []string{strings.TrimSpace(string(s.Agent) + " " + s.Version), strings.TrimSpace(string(s.State) + ", " + rungWords(s.Rung))}
	if can, _ := backends.Abilities(s.Caps); len(can) > 0 {
		words = append(words, "it can "+strings.Join(can, ", "))
	}
	if s.NativeID != "" {
		words = append(words, "its id "+s.NativeID)
	}
	words = append(words, tokens(s.Usage)...)
	if s.LastErr != "" {
		words = append(words, tty.Cut(tty.Line(s.LastErr), 200))
	}
	return strings.Join(words, " · ")
}

func showTurns(e *env, d orchestrator.ChatDetail) {
	t := tty.Table{Path: 4, Prose: true, Right: map[int]bool{0: true}}
	for _, turn := range d.TurnList {
		first, _, _ := strings.Cut(strings.TrimSpace(turn.Prompt), "\n")
		t.Row(tty.Dim(fmt.Sprintf("%d", turn.Number)), tty.Plain(string(turn.ID)), tty.Plain(string(turn.Agent)),
			stateSpan(turn.State), tty.Plain(tty.Cut(tty.Line(first), 100)))
		if turn.Reason != "" {
			t.Row(tty.Plain(""), tty.Plain(""), tty.Plain(""), tty.Plain(""), tty.Dim(tty.Cut(tty.Line(turn.Reason), 200)))
		}
	}
	t.Print(e.Stdout)
}
