package main

import (
	"context"
	"os"
	"path/filepath"

	"boo/backends"
	"boo/backends/acp"
	installer "boo/backends/install"
	"boo/backends/opencode"
	"boo/backends/proc"
	"boo/cmd/boo/internal/doctor"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/orchestrator/store"
	"boo/pending"
	"boo/reaper"
	"boo/worktree"
)

// supervise runs the supervisor of an agent if this process was started as one,
// and then does not return.
func supervise() { proc.Main() }

// wire puts the concrete parts into the env.
func wire(e *env) {
	e.Open = func(ctx context.Context, d dirs, c config) (orchestrator.Service, error) {
		engine, err := openEngine(ctx, d, c)
		if err != nil {
			return nil, err // not the nil engine, which would be a service that is not nil
		}
		return engine, nil
	}
	e.Daemon = func(d dirs) (daemonLink, error) { return linkDaemon(d, e.Environ()) }
	e.Serve = serveDaemon
	e.Agents = openAgents
	e.Doctor = func(ctx context.Context, d dirs, c config) (doctor.Patient, func() error, error) {
		return openPatient(ctx, e, d, c)
	}
	e.Git = runGit
	e.Demo = scriptedDemo
}

// openEngine makes the orchestrator of this process. Store, locks and git files
// lie together in the data directory: who shares one shares all.
func openEngine(ctx context.Context, d dirs, c config) (*orchestrator.Engine, error) {
	if err := d.make(); err != nil {
		return nil, err
	}
	registry, err := newRegistry(d, c)
	if err != nil {
		return nil, err
	}
	trees, err := worktree.New(worktree.Options{
		Dir: filepath.Join(d.Data, "git"), MinFree: max(spareFloor, int64(c.Worktree.MinFree)), MaxFile: int64(c.Worktree.MaxFile),
		SkipLFS: c.Worktree.LFS == lfsSkip,
	})
	if err != nil {
		return nil, err
	}
	locks, err := daemon.NewLocks(filepath.Join(d.Data, "locks"))
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, filepath.Join(d.Data, "boo.db"), store.Options{})
	if err != nil {
		return nil, err
	}
	trash := &reaper.Archiver{Root: filepath.Join(d.Data, "worktrees"), Trees: trees, Rows: db, Processes: proc.Table{}}
	return orchestrator.NewEngine(orchestrator.Config{
		Store:     db,
		Trees:     trees,
		Logs:      sessionLogs(d, c),
		Histories: filepath.Join(d.Data, "histories"),
		Agents:    backends.NewPool(registry, c.Pool.options(d.Data)),
		Pending:   pending.New(trees, db, locks),
		Locks:     locks,
		Processes: proc.Table{},
		Projects:  projects{},
		Archives:  trash,
		Reaper: &reaper.Sweeper{
			Archiver: trash, Trees: trees, Rows: db, Locks: locks, Clock: reaper.System{}, Rules: c.Reaper.rules(), Histories: filepath.Join(d.Data, "histories"),
		},
		Commands:  backends.Commands{Launcher: proc.Launcher{}},
		Worktrees: filepath.Join(d.Data, "worktrees"),
		Agent:     c.DefaultAgent,
		Policy:    c.Policy,
		Spares:    c.Worktree.Spares,
		Free:      freeBytes,
		MinFree:   int64(c.Worktree.MinFree),
		Watched:   c.Worktree.Watched,
	}), nil
}

func openAgents(d dirs, c config) (agentTools, error) {
	registry, err := newRegistry(d, c)
	if err != nil {
		return agentTools{}, err
	}
	return agentTools{Registry: registry, Install: func(ctx context.Context, def backends.Definition, progress func(done, total int64, line string)) (string, error) {
		return installer.Installer{Data: d.Data, Environ: os.Environ()}.Install(ctx, def, progress)
	}}, nil
}

func newRegistry(d dirs, c config) (*backends.Registry, error) {
	return backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: version}, "opencode": opencode.Protocol{Dir: filepath.Join(d.Data, "opencode")}},
		Custom:    c.Agents,
		Data:      d.Data,
		Environ:   os.Environ(),
	})
}
