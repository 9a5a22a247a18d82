package daemon

import (
	"context"
	"net/http"
)

// Work is what a daemon does for those who connect. Its methods are called in
// the order in which they stand here, but for Retire and WaitIdle.
type Work interface {
	// ServeHTTP answers the requests that are not the daemon's own.
	http.Handler

	// Retire closes the intake, for good, if nothing is under way. It returns
	// how much is, 0 if the intake is closed now.
	Retire() (underWay int)

	// WaitIdle returns when nothing is under way, or with ctx. Something may be
	// when it has returned.
	WaitIdle(ctx context.Context) error

	// Drain closes the intake, ends what is under way, and returns when the end
	// of all of it is on record, or with ctx.
	Drain(ctx context.Context) error

	// Close ends processes and releases what is held. Nobody is served any more.
	Close() error
}
