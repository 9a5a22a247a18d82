package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"boo/orchestrator"
)

// Client finds the daemon of a place, starts one where there is none, and has
// one that is of another boo make room. Its methods may be called concurrently.
type Client struct {
	Place    Place
	Identity Identity // of this process
	Program  Program

	leaving atomic.Bool // Ensure found another's daemon, which ends when it is idle
	asked   kept        // by Ensure, for who works with that daemon next
}

const (
	// How long a daemon may take to come, or to go, before it is given up.
	changeTime = 45 * time.Second
	// Between two looks at one that is coming or going by another's hand.
	firstLook, longestLook = 10 * time.Millisecond, 200 * time.Millisecond
)

// Dial connects with the daemon that runs. It is CodeNotFound if none does.
func (c *Client) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := c.Place.dial(ctx)
	if errors.Is(err, errAbsent) {
		return nil, absent()
	}
	return conn, err
}

func absent() error {
	return orchestrator.Errorf(orchestrator.CodeNotFound, "%w", errAbsent).WithHint("boo daemon start")
}

// Redial connects again after a connection was lost. It starts a daemon if the
// last one died without an end in good order, as what it left is to be settled
// then, and if it was one that [Client.Ensure] found to be another's, which ends as
// soon as it is idle. Where it was told to end, or none ever ran, it is CodeNotFound.
//
// The first time it is the connection over which [Client.Ensure] asked.
func (c *Client) Redial(ctx context.Context) (net.Conn, error) {
	if conn := c.asked.take(); conn != nil {
		return conn, nil
	}
	conn, err := c.Place.dial(ctx)
	if !errors.Is(err, errAbsent) {
		return conn, err
	}
	died, err := c.Place.died()
	if err != nil {
		return nil, err
	}
	if !died && !c.leaving.Load() {
		return nil, absent()
	}
	if _, _, err := c.Ensure(ctx, nil); err != nil {
		return nil, err
	}
	return c.Redial(ctx)
}

// Info asks the daemon that runs about itself; CodeNotFound if none does.
func (c *Client) Info(ctx context.Context) (Info, error) {
	info, err := c.ask(ctx)
	if errors.Is(err, errAbsent) {
		return info, absent()
	}
	return info, err
}

// Ensure returns when a daemon serves that this process can work with: one that
// runs, or one that it starts. A daemon of another boo, or with another
// configuration, ends first if nothing runs in it. If something does, it goes on
// until that is over, and is used meanwhile if it speaks the same protocol; other
// is then true. If it does not, the error is CodeBusy.
//
// Where none runs, first is asked before one is started, unless it is nil: its
// error is Ensure's, and nothing is started then.
func (c *Client) Ensure(ctx context.Context, first func(context.Context) error) (info Info, other bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, changeTime,
		orchestrator.Errorf(orchestrator.CodeBusy, "the daemon has neither answered nor ended for %v", changeTime).WithHint("boo daemon status"))
	defer cancel()
	for look := firstLook; ; look = min(2*look, longestLook) {
		info, err = c.ask(ctx)
		switch {
		case err == nil && info.Identity == c.Identity:
			return info, false, nil
		case err == nil:
			left, err := c.succeed(ctx, info)
			if err != nil || !left {
				c.leaving.Store(err == nil)
				return info, true, err
			}
			continue
		case !errors.Is(err, errAbsent):
			return info, false, err
		}
		if first != nil {
			if err := first(ctx); err != nil {
				return info, false, err
			}
			first = nil
		}
		switch started, err := c.start(ctx); {
		case err != nil:
			return info, false, err
		case started:
			continue
		}
		// It comes or goes by another's hand.
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return info, false, context.Cause(ctx)
		}
	}
}

// start starts a daemon, unless somebody else does, whose failure is its own then;
// started is false if there is one that does not listen.
func (c *Client) start(ctx context.Context) (started bool, err error) {
	locks, err := c.Place.locks()
	if err != nil {
		return false, err
	}
	began := time.Now()
	release, err := locks.Lock(ctx, startLock, func() {})
	if err != nil {
		return false, err
	}
	defer release()
	conn, err := c.Place.dial(ctx)
	if err == nil {
		return true, conn.Close()
	}
	if !errors.Is(err, errAbsent) {
		return false, err
	}
	if err := c.failedSince(began); err != nil {
		return false, err
	}
	err = c.Place.spawn(ctx, c.Program)
	if orchestrator.CodeOf(err) == orchestrator.CodeBusy {
		return false, nil
	}
	if ctx.Err() == nil { // else nothing failed but this one's patience
		c.note(err)
	}
	return err == nil, err
}

// succeed asks a daemon of another boo to make room. left is false if it is busy
// but can be used until then.
func (c *Client) succeed(ctx context.Context, info Info) (left bool, err error) {
	n, err := c.stop(ctx, stopIfIdle)
	if errors.Is(err, errAbsent) {
		return true, nil
	}
	if err != nil || n == 0 {
		return n == 0, err
	}
	if info.Protocol != c.Identity.Protocol {
		return false, orchestrator.Errorf(orchestrator.CodeBusy,
			"the daemon (process %d) is of boo %s, which this boo %s cannot speak with; it ends when its %d open turns are over; nothing was done",
			info.PID, info.Version, c.Identity.Version, n).WithHint("boo daemon stop --when-idle")
	}
	return false, nil
}

// Stop ends the daemon and returns when it is gone. With whenIdle it ends as soon
// as nothing runs in it, and else at once: what runs is interrupted, and on
// record. CodeNotFound if none runs.
func (c *Client) Stop(ctx context.Context, whenIdle bool) error {
	when := stopNow
	if whenIdle {
		when = stopIdle
	}
	_, err := c.stop(ctx, when)
	if !errors.Is(err, errAbsent) {
		return err
	}
	locks, err := c.Place.locks()
	if err != nil {
		return err
	}
	release, free, err := locks.TryLock(lifeLock)
	if err == nil && !free { // it is ending already
		release, err = locks.Lock(ctx, lifeLock, func() {})
	}
	if err != nil {
		return err
	}
	release()
	if free {
		return absent()
	}
	return nil
}

// stop returns how much is under way in a daemon that does not end at once.
func (c *Client) stop(ctx context.Context, when string) (underWay int, err error) {
	body, conn, err := c.call(ctx, http.MethodPost, stopPath+"?when="+when)
	if errors.Is(err, errBroken) {
		return 0, nil // a connection that breaks has ended too
	}
	if err != nil {
		return 0, err
	}
	_ = conn.Close() // nothing is asked over it any more
	var busy stopAnswer
	_ = json.Unmarshal(body, &busy) // nothing is said at the end
	return busy.UnderWay, nil
}
