package main

import (
	"context"
	"os"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/install"
	"boo/backends/proc"
)

// supervise runs the supervisor of an agent if this process was started as one,
// and then does not return.
func supervise() { proc.Main() }

// wire puts the concrete parts into the env.
func wire(e *env) {
	e.Agents = openAgents
}

func openAgents(d dirs, c config) (agentTools, error) {
	registry, err := newRegistry(d, c)
	if err != nil {
		return agentTools{}, err
	}
	installer := install.Installer{Data: d.Data, Environ: os.Environ()}
	return agentTools{
		Registry: registry,
		Install: func(ctx context.Context, def backends.Definition, progress func(int64, int64, string)) (string, error) {
			return installer.Install(ctx, def, progress)
		},
	}, nil
}

func newRegistry(d dirs, c config) (*backends.Registry, error) {
	return backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: version}},
		Custom:    c.Agents,
		Data:      d.Data,
		Environ:   os.Environ(),
	})
}
