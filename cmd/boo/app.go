package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

// newApp is the tree of commands.
func newApp(e *env) *cli.App {
	app := &cli.App{
		Name:  "boo",
		Usage: "coding agents work in a chat of their own; you take what you want from it",
		Description: "Start in any git repository:\n" +
			"  boo agents install goose\n" +
			"  boo chat send \"what you want done\"\n" +
			"  boo pending show\n" +
			"  boo pending apply\n" +
			"or see all of it on a throw-away repository: boo demo",
		UsageText:       "boo COMMAND [ARGUMENTS]\nboo COMMAND --help",
		Version:         version,
		Flags:           append(globalFlags(), cli.HelpFlag), // a command named help keeps cli from adding it
		HideHelpCommand: true,
		Writer:          e.Stdout,
		ErrWriter:       e.Stderr,
		OnUsageError:    usageError,
		ExitErrHandler:  func(*cli.Context, error) {}, // exit.go does it
		Before:          e.before,
		Action:          group,
		Commands: []*cli.Command{
			chatCommand(e),
			runCommand(e),
			pendingCommand(e),
			worktreeCommand(e),
			reaperCommand(e),
			turnCommand(e),
			usageCommand(e),
			checkpointCommand(e),
			permitCommand(e),
			agentsCommand(e),
			approveCommand(e),
			daemonCommand(e),
			serviceCommand(e),
			doctorCommand(e),
			demoCommand(e),
			versionCommand(e),
			helpCommand(e),
			completionCommand(e),
			manCommand(e),
			completeCommand(e),
		},
	}
	for _, c := range app.Commands {
		complete(e, c)
		exemplify(c, c.Name)
	}
	return app
}

func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "C", Usage: "run as if boo was started in `DIR`"},
		toggle("json", "one JSON object per line on stdout"),
		toggle("no-color", "no colours"),
	}
}

// toggle is a flag without a value.
func toggle(name, usage string, aliases ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage, DisableDefaultText: true}
}

// complete gives a command and those below it what all of them have.
func complete(e *env, c *cli.Command) {
	c.OnUsageError = usageError
	c.HideHelpCommand = true
	c.UseShortOptionHandling = false
	if len(c.Subcommands) > 0 {
		c.Action = group
	} else {
		c.Flags = append(c.Flags, globalFlags()...)
		c.Before = e.before
	}
	for _, sub := range c.Subcommands {
		complete(e, sub)
	}
}

// group is what a command does that only has others below it.
func group(c *cli.Context) error {
	if c.Args().Present() && c.Args().First() != "help" {
		name := strings.Join(append(path(c), c.Args().First()), " ")
		return orchestrator.Errorf(orchestrator.CodeInvalid, "there is no command %q", name).
			WithHint("%s --help", strings.Join(append(path(c), meant(c.Command.Subcommands, c.Args().First())...), " "))
	}
	if len(path(c)) == 1 {
		return cli.ShowAppHelp(c)
	}
	return cli.ShowSubcommandHelp(c)
}

// path is the command as it was typed: "boo chat send".
func path(c *cli.Context) []string {
	if c.Command == nil || c.Command.HelpName == "" {
		return []string{"boo"}
	}
	return strings.Fields(c.Command.HelpName)
}

func usageError(c *cli.Context, err error, _ bool) error {
	if flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: "); ok {
		err = fmt.Errorf("%s has no flag %s", strings.Join(path(c), " "), dashed(strings.TrimLeft(flag, "-")))
	}
	return orchestrator.Errorf(orchestrator.CodeInvalid, "%w", err).WithHint("%s --help", strings.Join(path(c), " "))
}

// before takes in the flags that all commands have. They may stand before the
// command and after it.
func (e *env) before(c *cli.Context) error {
	if err := noneEmpty(c); err != nil {
		return err
	}
	if c.Bool("json") {
		e.JSON = true
	}
	if c.Bool("no-color") {
		e.Stdout.NoColour()
		e.Stderr.NoColour()
	}
	if e.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "find the working directory: %w", err).WithHint("cd into a git repository")
		}
		e.Dir = dir
	}
	if dir := c.String("C"); localFlag(c, "C") {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(e.Dir, dir)
		}
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "-C: there is no directory %s", dir)
		}
		e.Dir = dir
	}
	return nil
}

// noneEmpty refuses a flag whose value is empty: a script's variable that is not
// set must not stand for what a command does without the flag.
func noneEmpty(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if value, is := c.Value(name).(string); is && value == "" && localFlag(c, name) {
			return usageError(c, fmt.Errorf("%s was given without a value", dashed(name)), false)
		}
	}
	return nil
}

// localFlag reports whether a flag was given to the very command of c, and not
// to one above it: before runs once for each.
func localFlag(c *cli.Context, name string) bool {
	for _, set := range c.LocalFlagNames() {
		if set == name {
			return true
		}
	}
	return false
}

// noArgs refuses arguments where a command has none.
func noArgs(c *cli.Context) error {
	if c.Args().Present() {
		return usageError(c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s takes no arguments, but got %q", strings.Join(path(c), " "), c.Args().First()), false)
	}
	return nil
}
