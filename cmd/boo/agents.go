package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/backends"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// agentTools is what the agents commands need of the packages below backends.
type agentTools struct {
	Registry agentRegistry
	// Install installs an agent's pinned package, unless it is there already, and
	// returns its program. progress is told the bytes on disk so far, those that
	// are expected, and the installer's last line.
	Install func(ctx context.Context, def backends.Definition, progress func(done, total int64, line string)) (path string, err error)
}

type agentRegistry interface {
	Definitions() []backends.Definition
	Definition(name orchestrator.AgentName) (backends.Definition, error)
	Find(name orchestrator.AgentName) (backends.Found, error)
	Doctor(ctx context.Context, name orchestrator.AgentName, memory bool) (backends.Report, error)
}

func agentsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "agents",
		Usage: "the agents that boo can work with",
		Subcommands: []*cli.Command{
			{
				Name: "ls", Usage: "list the agents: installed or not, where, which version",
				Action: func(c *cli.Context) error {
					if err := noArgs(c); err != nil {
						return err
					}
					return runAgentsLs(e)
				},
			},
			{
				Name: "install", Usage: "install an agent into boo's own directory, through npm", ArgsUsage: "AGENT",
				Action: func(c *cli.Context) error {
					name, err := agentArg(c)
					if err != nil {
						return err
					}
					return runAgentsInstall(c.Context, e, name)
				},
			},
			{
				Name: "doctor", Usage: "start an agent and say what is missing to use it", ArgsUsage: "[AGENT]",
				Description: "Without AGENT every agent that is installed is tried.",
				Flags: []cli.Flag{
					toggle("memory", "also try whether a session survives its process: two short calls of the agent's model"),
				},
				Action: func(c *cli.Context) error {
					if c.NArg() == 0 {
						return runAgentsDoctor(c.Context, e, "", c.Bool("memory"))
					}
					name, err := agentArg(c)
					if err != nil {
						return err
					}
					return runAgentsDoctor(c.Context, e, name, c.Bool("memory"))
				},
			},
		},
	}
}

func agentArg(c *cli.Context) (orchestrator.AgentName, error) {
	if c.NArg() != 1 {
		return "", usageError(c, fmt.Errorf("name one agent"), false)
	}
	return orchestrator.ParseAgentName(c.Args().First())
}

type agentView struct {
	Name      orchestrator.AgentName `json:"name"`
	Title     string                 `json:"title"`
	Protocol  string                 `json:"protocol"`
	Installed bool                   `json:"installed"`
	Path      string                 `json:"path,omitempty"`
	Source    backends.Source        `json:"source,omitempty"` // config, path, installed
	Version   string                 `json:"version,omitempty"`
	Pinned    string                 `json:"pinned,omitempty"` // what install would install
	Problem   string                 `json:"problem,omitempty"`
	Hint      string                 `json:"hint,omitempty"`
}

func listAgents(r agentRegistry) []agentView {
	var list []agentView
	for _, def := range r.Definitions() {
		v := agentView{Name: def.Name, Title: def.Title, Protocol: def.Protocol, Pinned: def.Package.Version}
		found, err := r.Find(def.Name)
		if err != nil {
			v.Problem, v.Hint = err.Error(), orchestrator.HintOf(err)
		} else {
			v.Installed, v.Path, v.Source, v.Version = true, found.Path, found.Source, found.Version
		}
		list = append(list, v)
	}
	return list
}

var sourceWords = map[backends.Source]string{
	backends.SourceConfig:    "config.toml",
	backends.SourcePath:      "PATH",
	backends.SourceInstalled: "boo",
}

func runAgentsLs(e *env) error {
	tools, err := e.agents()
	if err != nil {
		return err
	}
	list := listAgents(tools.Registry)
	if e.JSON {
		for _, v := range list {
			if err := e.Stdout.JSON(v); err != nil {
				return err
			}
		}
		return nil
	}
	t := tty.Table{Path: 4}
	t.Row(tty.Dim("AGENT"), tty.Dim("INSTALLED"), tty.Dim("VERSION"), tty.Dim("FROM"), tty.Dim("PROGRAM"))
	missing := 0
	for _, v := range list {
		if !v.Installed {
			missing++
			t.Row(tty.Bold(string(v.Name)), tty.Red("no"), tty.Dim("-"), tty.Dim("-"), tty.Plain("try: "+v.Hint))
			continue
		}
		version := tty.Dim("?")
		if v.Version != "" {
			version = tty.Plain(v.Version)
		}
		t.Row(tty.Bold(string(v.Name)), tty.Green("yes"), version, tty.Plain(sourceWords[v.Source]), tty.Plain(v.Path))
	}
	t.Print(e.Stdout)
	if missing < len(list) {
		e.Stderr.Println(tty.Dim("what is missing to use one: "), tty.Bold("boo agents doctor"))
	}
	return nil
}
