package main

import (
	"bytes"
	"context"
	"fmt"

	"boo/backends/backendtest/scriptedmodel"
	"boo/cmd/boo/internal/foreground"
)

// demoScenario is what the demo plays: a small repository, what a person asks
// for in it, and a model that answers as one would.
type demoScenario struct {
	Files   map[string]string // by path
	Prompts []string
	// StartModel starts the scripted model on loopback. env is how the agent
	// finds it, with its own files below root; stop ends it and waits.
	StartModel func(root string) (env map[string]string, stop func(), err error)
}

// scriptedDemo is the demo that needs neither a key nor the network.
func scriptedDemo() demoScenario {
	files, prompts, script := scriptedmodel.Demo()
	return demoScenario{
		Files: files, Prompts: prompts,
		StartModel: func(root string) (map[string]string, func(), error) {
			model, err := scriptedmodel.Start(scriptedmodel.Options{Scenario: script})
			if err != nil {
				return nil, nil, err
			}
			return scriptedmodel.GooseEnv(model.URL(), root), func() { _ = model.Close() }, nil
		},
	}
}

// runGit runs git as the person would, in the demo's own repository, and returns
// what it prints. Everything else that runs git is in package worktree.
func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	err := foreground.Run(ctx, foreground.Program{
		Args: append([]string{"git", "--no-pager"}, args...), Dir: dir, Stdout: &out, Stderr: &said,
	})
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.Bytes(), nil
}
