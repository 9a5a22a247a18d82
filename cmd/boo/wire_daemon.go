package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"boo/backends/proc"
	"boo/orchestrator"
	"boo/orchestrator/api"
	"boo/orchestrator/daemon"
	"boo/reaper"
)

// protocol counts what of the API is not understood by those of before: the
// number in its paths.
const protocol = 1

// headRest is how long after a move of HEAD the spares of its repository follow.
const headRest = time.Second

// work is what boo's daemon does: it serves an engine.
type work struct {
	http.Handler
	*orchestrator.Engine
	ending chan struct{} // closed when nothing runs any more

	endReaper context.CancelFunc
	reaper    sync.WaitGroup
}

// Drain ends the turns, and then those who follow what has no end.
func (w *work) Drain(ctx context.Context) error {
	w.endReaper()
	err := w.Engine.Drain(ctx)
	w.reaper.Wait()
	close(w.ending)
	return err
}

func openWork(ctx context.Context, d dirs, c config, log *slog.Logger) (daemon.Work, error) {
	engine, err := openEngine(ctx, d, c)
	if err != nil {
		return nil, err
	}
	engine.WhenIdle(giveBackLater())
	engine.KeepLogs()
	engine.FollowHeads(headRest)
	settled, err := engine.Recover(ctx)
	if err != nil {
		_ = engine.Close() // the error that led here says more
		return nil, err
	}
	if err := engine.EvictAll(ctx); err != nil {
		log.Warn("note that no agent is warm", "error", err)
	}
	for _, r := range settled {
		log.Info("recovered", "chat", r.Chat, "turn", r.Turn, "message", r.Message)
	}
	if err := engine.KeepSpares(ctx); err != nil {
		log.Warn("look after spare worktrees", "error", err)
	}
	engine.DeleteForgottenSoon()
	if err := engine.WeighAll(ctx); err != nil {
		log.Warn("measure worktrees", "error", err)
	}
	w := &work{Engine: engine, ending: make(chan struct{})}
	w.reap(c.Reaper, log)
	w.Handler = api.NewHandler(&recovered{Service: engine, untold: settled}, api.Options{Ending: w.ending})
	return w, nil
}

// reap sweeps from time to time, until Drain.
func (w *work) reap(c reaperConfig, log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	w.endReaper = cancel
	if c.Every == 0 {
		return
	}
	var last time.Time
	if status, err := w.ReaperStatus(ctx); err == nil && status.Last != nil {
		last = status.Last.Started
	}
	w.reaper.Go(func() {
		reaper.Serve(ctx, reaper.Every(c.Every), last, func(ctx context.Context, next time.Time) {
			done, err := w.Sweep(ctx, orchestrator.SweepRequest{Next: next})
			if err != nil && ctx.Err() == nil {
				log.Warn("sweep", "error", err)
			}
			for _, s := range done.Steps {
				log.Info("sweep", "action", s.Action, "chat", s.Chat, "path", s.Path, "reason", s.Reason)
			}
		})
	})
}

// recovered tells the first who asks what was settled when the daemon started.
type recovered struct {
	orchestrator.Service
	mu     sync.Mutex
	untold []orchestrator.Recovery
}

// Recover settles what others left since, and tells of both.
func (r *recovered) Recover(ctx context.Context) ([]orchestrator.Recovery, error) {
	settled, err := r.Service.Recover(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	settled = append(r.untold, settled...)
	r.untold = nil
	return settled, err
}

// serveDaemon is the life of a daemon in this process.
func serveDaemon(ctx context.Context, d dirs, c config, o daemonRunOptions) error {
	debug.SetGCPercent(daemonGC)
	id, err := identify(d)
	if err != nil {
		return err
	}
	if err := d.make(); err != nil {
		return err
	}
	return daemon.Run(ctx, daemon.Options{
		Place:    d.daemonPlace(),
		Identity: id,
		Log:      o.Log,
		Open:     func(ctx context.Context) (daemon.Work, error) { return openWork(ctx, d, c, o.Log) },
		Server:   api.NewServer,
		Inside:   proc.Inside,
		Ready:    o.Ready,
		Getenv:   os.Getenv,
	})
}

func identify(d dirs) (daemon.Identity, error) {
	return daemon.Identify(version, protocol, filepath.Join(d.Config, "config.toml"))
}

func (d dirs) daemonPlace() daemon.Place {
	return daemon.Place{Data: d.Data, Log: filepath.Join(d.State, "daemon.log")}
}

// link is how commands reach the daemon.
type link struct{ *daemon.Client }

// Service asks the daemon over connections that find it again should it be
// replaced.
func (l link) Service() orchestrator.Service { return api.NewClient(l.Redial) }

func linkDaemon(d dirs, environ []string) (daemonLink, error) {
	if err := d.make(); err != nil {
		return nil, err
	}
	id, err := identify(d)
	if err != nil {
		return nil, err
	}
	return link{&daemon.Client{
		Place:    d.daemonPlace(),
		Identity: id,
		Program:  daemon.Program{Args: []string{"daemon", "run", "--" + backgroundFlag}, Environ: daemonEnviron(environ)},
	}}, nil
}

// daemonEnviron is the environment of a daemon that a command starts: what tells
// where files are and who the person is. It outlives the command, and so holds
// no secrets; an agent gets its own from the environment of each prompt's sender.
func daemonEnviron(environ []string) []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "EMAIL", "BOO_HOME",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(names, name) && !strings.HasPrefix(name, "LC_") && !strings.HasPrefix(name, "XDG_")
	})
}

// personEnviron is what a prompt's sender gives of their environment: all but
// what is boo's own.
func personEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, "BOO_") })
}
