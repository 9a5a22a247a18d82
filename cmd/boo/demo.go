package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v2"

	"boo/backends"
	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

const demoAgent orchestrator.AgentName = "goose"

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "see boo at work on a throw-away repository",
		Description: "Installs goose into boo's own directory and has it work in a temporary repository, by the\n" +
			"commands that you would type. With GOOSE_PROVIDER set your own model answers, otherwise a\n" +
			"scripted one that needs neither a key nor the network.",
		Flags: []cli.Flag{toggle("keep", "keep the temporary directory, and say where it is")},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDemo(c.Context, e, c.Bool("keep"))
		},
	}
}

// demo is one run of it.
type demo struct {
	e    *env
	out  *tty.Output // where the commands are shown
	base string      // everything below it goes away at the end
	repo string
	told bool   // the last line explained what comes
	home string // BOO_HOME of the commands: the person's own chats stay as they are
	env  []string
}

func runDemo(ctx context.Context, e *env, keep bool) (err error) {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	program, err := demoProgram(ctx, e)
	if err != nil {
		return err
	}
	base, err := os.MkdirTemp("", "boo-demo-")
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeDenied, "make a directory for the demo: %w", err)
	}
	d := &demo{e: e, out: e.Stdout, base: base, repo: filepath.Join(base, "greet"), home: filepath.Join(base, "home")}
	if e.JSON {
		d.out = e.Stderr
	}
	defer func() {
		if endErr := d.end(ctx, keep); err == nil {
			err = endErr
		}
	}()
	scenario := e.Demo()
	endModel, err := d.environment(scenario)
	if err != nil {
		return err
	}
	defer endModel()
	if err := d.prepare(ctx, program, scenario); err != nil {
		return stoppedOr(ctx, err)
	}
	if err := d.play(ctx, scenario); err != nil {
		return stoppedOr(ctx, err)
	}
	d.next()
	return nil
}

// demoProgram installs the agent into boo's own directory, where later chats of
// the person find it too.
func demoProgram(ctx context.Context, e *env) (string, error) {
	tools, err := e.agents()
	if err != nil {
		return "", err
	}
	def, err := tools.Registry.Definition(demoAgent)
	if err != nil {
		return "", err
	}
	return installAgent(ctx, e, tools, def)
}

// environment chooses the model: the person's own if they have set one up in
// the environment, else the scripted one.
func (d *demo) environment(s demoScenario) (endModel func(), err error) {
	d.env = []string{"BOO_HOME=" + d.home, "PAGER=cat"}
	if provider := d.e.Getenv("GOOSE_PROVIDER"); provider != "" {
		d.say("the model is your own: GOOSE_PROVIDER is " + provider)
		return func() {}, nil
	}
	vars, stop, err := s.StartModel(filepath.Join(d.base, "goose"))
	if err != nil {
		return nil, fmt.Errorf("start the scripted model: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		d.env = append(d.env, name+"="+vars[name])
	}
	d.env = append(d.env, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	d.say("no GOOSE_PROVIDER is set, so a scripted model on this machine plays the part of one")
	return stop, nil
}

// prepare makes the repository, and a configuration that names the agent.
func (d *demo) prepare(ctx context.Context, program string, s demoScenario) error {
	for name, content := range s.Files {
		path := filepath.Join(d.repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the demo's repository: %w", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("make the demo's repository: %w", err)
		}
	}
	if err := os.MkdirAll(d.home, 0o700); err != nil {
		return fmt.Errorf("make the demo's home: %w", err)
	}
	var text bytes.Buffer
	command := map[string]map[orchestrator.AgentName]backends.Custom{"agents": {demoAgent: {Command: []string{program, "acp"}}}}
	if err := toml.NewEncoder(&text).Encode(command); err != nil {
		return fmt.Errorf("write the demo's configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(d.home, "config.toml"), text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the demo's configuration: %w", err)
	}
	who := []string{"-c", "user.name=Demo", "-c", "user.email=demo@example.invalid"}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Demo"},
		{"config", "user.email", "demo@example.invalid"},
		{"add", "--all"},
		append(who, "commit", "--quiet", "--no-gpg-sign", "-m", "Greet the world"),
	} {
		if _, err := d.e.Git(ctx, d.repo, args...); err != nil {
			return fmt.Errorf("make the demo's repository: %w", err)
		}
	}
	return nil
}

// play does in the open what a person would do.
func (d *demo) play(ctx context.Context, s demoScenario) error {
	d.say("a small Go program stands in " + d.repo)
	for i, prompt := range s.Prompts {
		d.say([]string{
			"an agent gets a worktree of its own; the checkout is not touched",
			"the same chat goes on: same worktree, same session of the agent",
		}[min(i, 1)])
		if err := d.boo(ctx, "chat", "send", "--agent", string(demoAgent), prompt); err != nil {
			return err
		}
	}
	d.say("what differs from where the chat began, a line for each file")
	if err := d.boo(ctx, "pending", "ls"); err != nil {
		return err
	}
	if err := d.boo(ctx, "pending", "show"); err != nil {
		return err
	}
	d.say("only now the checkout changes: edits that are not committed, and can be taken back")
	if err := d.boo(ctx, "pending", "apply"); err != nil {
		return err
	}
	if err := d.git(ctx, "status", "--short"); err != nil {
		return err
	}
	return d.git(ctx, "diff")
}

func (d *demo) next() {
	if d.e.JSON {
		return
	}
	d.out.Println()
	d.out.Println(tty.Bold("Now in a repository of your own:"))
	t := tty.Table{Path: -1}
	for _, row := range [][2]string{
		{"cd YOUR/REPOSITORY", ""},
		{"boo agents doctor goose", "is a model provider set up?"},
		{`boo chat send "what you want done"`, "an agent works, in a worktree of its own"},
		{"boo pending show", "see what it did"},
		{"boo pending apply", "take it; boo pending undo gives it back"},
	} {
		t.Row(tty.Plain("  "+row[0]), tty.Dim(row[1]))
	}
	t.Print(d.out)
}

// say explains what comes.
func (d *demo) say(text string) {
	d.out.Println()
	d.out.Println(tty.Dim("# " + text))
	d.told = true
}

// show prints a command as a person would type it.
func (d *demo) show(words ...string) {
	for i, w := range words {
		if strings.ContainsAny(w, " \t\n'\"$`\\*?!;&|<>()") {
			words[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w) + `"`
		}
	}
	if !d.told {
		d.out.Println()
	}
	d.told = false
	d.out.Println(tty.Cyan("$ "), tty.Bold(strings.Join(words, " ")))
}

// boo runs this very program in the repository.
func (d *demo) boo(ctx context.Context, args ...string) error {
	d.show(append([]string{"boo"}, args...)...)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find boo's own program: %w", err)
	}
	command := append([]string{self}, args...)
	if d.e.JSON {
		command = append(command, "--json")
	}
	if !d.e.Stdout.Colour() {
		d.env = append(d.env, "NO_COLOR=1")
	}
	err = d.e.Run(ctx, foreground.Program{
		Args: command, Env: d.env, Dir: d.repo, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if ended, ok := errors.AsType[*foreground.Error](err); ok {
		return orchestrator.Errorf(orchestrator.CodeInternal, "the demo ended early: boo %s ended with status %d", strings.Join(args[:2], " "), ended.Code).
			WithHint("boo demo --keep, and look at what it leaves")
	}
	return err
}

// git shows what git says about the checkout.
func (d *demo) git(ctx context.Context, args ...string) error {
	d.show(append([]string{"git"}, args...)...)
	said, err := d.e.Git(ctx, d.repo, args...)
	if err != nil {
		return err
	}
	if args[0] != "diff" {
		_, err = d.out.Write(said)
		return err
	}
	patch := tty.NewPatch(d.out)
	_, _ = patch.Write(said)
	return patch.Close()
}

// end ends the demo's daemon and takes its files away, or says where they are.
func (d *demo) end(ctx context.Context, keep bool) error {
	if err := d.endDaemon(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if keep {
		d.e.Stderr.Println(tty.Plain("kept: "), tty.Cyan(d.base), tty.Dim(" (BOO_HOME="+d.home+")"))
		return nil
	}
	if err := os.RemoveAll(d.base); err != nil {
		return orchestrator.Errorf(orchestrator.CodeDenied, "remove the demo's directory: %w", err).WithHint("rm -rf %s", d.base)
	}
	return nil
}

func (d *demo) endDaemon(ctx context.Context) error {
	places, err := findDirs(func(name string) string {
		if name == "BOO_HOME" {
			return d.home
		}
		return d.e.Getenv(name)
	})
	if err != nil {
		return err
	}
	link, err := d.e.Daemon(places)
	if err != nil {
		return err
	}
	if err := link.Stop(ctx, false); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		return err
	}
	return nil
}

// stoppedOr prefers the person's wish to end over what it led to.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
