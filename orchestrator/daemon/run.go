package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"boo/orchestrator"
)

// Options are what a daemon is made of. All fields are needed.
type Options struct {
	Place    Place
	Identity Identity
	Log      *slog.Logger
	// Open opens the work once the data directory is this process's alone, and
	// recovers what a daemon that died has left. Nobody is let in before.
	Open func(ctx context.Context) (Work, error)
	// Server makes the server of a handler, with its limits.
	Server func(http.Handler) *http.Server
	// Inside reports whether a process belongs to an agent of this daemon.
	Inside func(pid int) (bool, error)
	// Ready is called once everybody can connect.
	Ready func()
	// Getenv finds the service manager's variables.
	Getenv func(string) string
}

// The bounds of an ordered end. What has not come to its end by then is settled
// by the next boo that looks.
const (
	drainTime = 30 * time.Second
	farewell  = 2 * time.Second // for followers to hear the end
)

// Why a daemon ends.
var (
	errAsked    = errors.New("it was asked to")
	errVanished = errors.New("its data directory is gone, or its lock was taken away")
)

// Run is the life of a daemon, from the claim on its data directory to its
// release. It returns nil after an ordered end, whether ctx, a request or the
// loss of the directory led to it. CodeBusy if there is a daemon already.
func Run(ctx context.Context, o Options) error {
	d := &running{Options: o}
	defer d.waiting.release() // last of all: who waits for the end may begin anew
	release, err := o.Place.claim()
	if err != nil {
		return err
	}
	defer release()
	gone, stopWatch, err := o.Place.vanished()
	if err != nil {
		return err
	}
	defer stopWatch()
	if d.work, err = o.Open(ctx); err != nil {
		return err
	}
	listener, err := o.Place.listen()
	if err != nil {
		return errors.Join(err, d.work.Close())
	}
	return d.serve(ctx, listener, gone)
}

// claim takes the data directory for this process.
func (p Place) claim() (release func(), err error) {
	locks, err := p.locks()
	if err != nil {
		return nil, err
	}
	release, ok, err := locks.TryLock(lifeLock)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "%s has a daemon already%s", p.Data, p.holder(locks)).
			WithHint("boo daemon status")
	}
	return release, nil
}

// holder names the process that holds the data directory, if it is known.
func (p Place) holder(locks *Locks) string {
	if h, ok := locks.Holder(lifeLock); ok {
		return fmt.Sprintf(" (process %d)", h.PID)
	}
	return ""
}

// running is a daemon that serves.
type running struct {
	Options
	work    Work
	waiting held
}

func (d *running) serve(ctx context.Context, listener *net.UnixListener, gone <-chan struct{}) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	control := &control{
		info: Info{Identity: d.Identity, PID: os.Getpid(), Started: time.Now().UTC(), Socket: d.Place.Socket()},
		work: d.work, stop: stop, life: ctx, held: &d.waiting,
	}
	requests, endRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer endRequests()
	server := d.Server(withoutAgents(control.routes()))
	server.BaseContext = func(net.Listener) context.Context { return requests }
	server.ConnContext = withCaller(d.Inside)
	server.ErrorLog = slog.NewLogLogger(d.Log.Handler(), slog.LevelWarn)
	served := make(chan error, 1)
	go func() { // ends with the listener, and is waited for below
		served <- server.Serve(&gate{UnixListener: listener, log: d.Log, warned: map[uint32]bool{}})
		close(served)
	}()
	notify := notifyReady(d.Getenv)
	defer notify.close()
	d.Log.Info("serving", "pid", os.Getpid(), "version", d.Identity.Version, "socket", d.Place.Socket())
	d.Ready()
	select {
	case <-ctx.Done():
	case <-gone:
		stop(errVanished)
	case err := <-served:
		stop(fmt.Errorf("serve %s: %w", d.Place.Socket(), err))
	}
	notify.tell("STOPPING=1")
	d.Log.Info("ending", "because", context.Cause(ctx))
	_ = listener.Close() // who comes now waits for the next daemon
	err := d.end(server, endRequests)
	<-served
	control.watch.Wait()
	if !errors.Is(context.Cause(ctx), errVanished) { // then it might be another's by now
		_ = os.Remove(d.Place.Socket())
	}
	d.Log.Info("ended", "error", err)
	return err
}

// end is the ordered end: nobody new comes in, what runs is ended and on
// record, those who follow hear of it, processes and store are released.
func (d *running) end(server *http.Server, endRequests func()) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	drainErr := d.work.Drain(ctx)
	last, cancelLast := context.WithTimeout(context.Background(), farewell)
	defer cancelLast()
	if err := server.Shutdown(last); err != nil {
		endRequests()
		_ = server.Close()
	}
	if drainErr != nil {
		// To close would be to wait for what has not ended. The end of the process
		// ends it, and the next boo settles what it leaves.
		return fmt.Errorf("end what runs within %v: %w", drainTime, drainErr)
	}
	return d.work.Close()
}
