package main

import (
	"context"
	"errors"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

// A command talks to the orchestrator in one of two places. What has to do with
// turns that run, and with agents that are kept warm, is asked of the daemon, in
// which they do: [env.daemon]. All else is done in the command's own process, on
// the same store and under the same locks, whether a daemon runs or not:
// [env.service]. What concerns live turns, but is nothing without them, starts no
// daemon for that: [env.turns].

// daemonLink leads to the daemon of a data directory.
type daemonLink interface {
	// Ensure starts the daemon if there is none; other says that it is one of
	// another build or configuration, and ends when its turns are over.
	// first, unless it is nil, is asked before that.
	Ensure(ctx context.Context, first func(context.Context) error) (info daemon.Info, other bool, err error)
	Info(ctx context.Context) (daemon.Info, error)
	Stop(ctx context.Context, whenIdle bool) error
	// Service is the daemon's orchestrator.
	Service() orchestrator.Service
}

// settings finds boo's directories and reads its configuration.
func (e *env) settings() (dirs, config, error) {
	d, err := findDirs(e.Getenv)
	if err != nil {
		return d, config{}, err
	}
	c, err := readConfig(d.Config, e.Getenv("HOME"))
	return d, c, err
}

// service opens the orchestrator in this process, on first use, and settles what
// a boo that died left behind.
func (e *env) service(ctx context.Context) (orchestrator.Service, error) {
	if e.svc != nil {
		return e.svc, nil
	}
	d, c, err := e.settings()
	if err != nil {
		return nil, err
	}
	if e.svc, err = e.Open(ctx, d, c); err != nil {
		return nil, err
	}
	return e.svc, e.recover(ctx, e.svc)
}

// daemon connects with the orchestrator in the daemon, on first use, and starts
// a daemon if there is none.
func (e *env) daemon(ctx context.Context) (orchestrator.Service, error) {
	return e.daemonUnless(ctx, nil)
}

// daemonUnless is daemon, but for an error of first, which is asked before a daemon
// is started.
func (e *env) daemonUnless(ctx context.Context, first func(context.Context) error) (orchestrator.Service, error) {
	if e.live != nil {
		return e.live, nil
	}
	svc, err := e.reach(ctx, first)
	if err != nil {
		return nil, err
	}
	return svc, e.recover(ctx, svc)
}

// reach is daemonUnless, but that the caller has what was left behind settled.
func (e *env) reach(ctx context.Context, first func(context.Context) error) (orchestrator.Service, error) {
	if e.live != nil {
		return e.live, nil
	}
	link, err := e.link()
	if err != nil {
		return nil, err
	}
	info, other, err := link.Ensure(ctx, first)
	if err != nil {
		return nil, err
	}
	if other && !e.JSON {
		e.Stderr.Println(tty.Yellow("boo: "), tty.Plain("the daemon (boo "+info.Version+") is busy, and goes on with its own build and configuration until its turns are over"))
	}
	e.live = link.Service()
	return e.live, nil
}

var errNoTurns = errors.New("no daemon runs, and so no turn")

// turns is the orchestrator that has the live turns: the daemon's if one runs,
// and else this process's, which finds none.
func (e *env) turns(ctx context.Context) (orchestrator.Service, error) {
	svc, err := e.daemonUnless(ctx, func(context.Context) error { return errNoTurns })
	if errors.Is(err, errNoTurns) {
		return e.service(ctx)
	}
	return svc, err
}

// sender is the daemon for a request to it. What it would refuse at once is found
// out before a daemon is started for it. See [env.send].
func (e *env) sender(ctx context.Context, req orchestrator.SendRequest) (orchestrator.Service, error) {
	return e.reach(ctx, func(ctx context.Context) error {
		svc, err := e.service(ctx)
		if err != nil {
			return err
		}
		req.Try = true
		_, err = svc.Send(ctx, req)
		return err
	})
}

// link leads to the daemon, without starting one. The configuration is read, so
// that a fault in it is told here and not by a daemon that cannot start.
func (e *env) link() (daemonLink, error) {
	d, _, err := e.settings()
	if err != nil {
		return nil, err
	}
	return e.Daemon(d)
}

// recover says what was settled that a boo that died left behind.
func (e *env) recover(ctx context.Context, svc orchestrator.Service) error {
	settled, err := svc.Recover(ctx)
	if err != nil {
		return err
	}
	for _, r := range settled {
		if e.JSON {
			_ = e.Stderr.JSON(map[string]recoveredView{"recovered": {r.Chat, r.Turn, r.Message}}) // see reportJSON
			continue
		}
		e.Stderr.Println(tty.Yellow("recovered: "), tty.Plain(r.Message))
	}
	return nil
}

func (e *env) tellUnsettled(message string) {
	if e.JSON {
		_ = e.Stderr.JSON(map[string]recoveredView{"unsettled": {Message: message}}) // see reportJSON
		return
	}
	e.Stderr.Println(tty.Yellow("boo: "), tty.Plain(message))
}

// recoveredView is said once, so programs that read JSON are told too.
type recoveredView struct {
	Chat    orchestrator.ChatID `json:"chat,omitempty"`
	Turn    orchestrator.TurnID `json:"turn,omitempty"`
	Message string              `json:"message"`
}

// letGo closes what was opened; what is asked for next is opened anew.
func (e *env) letGo() error {
	err := e.close()
	e.svc, e.live = nil, nil
	return err
}

func (e *env) close() error {
	var errs []error
	for _, svc := range []orchestrator.Service{e.svc, e.live} {
		if svc != nil {
			errs = append(errs, svc.Close())
		}
	}
	return errors.Join(errs...)
}
