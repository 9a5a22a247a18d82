package api

import (
	"context"
	"time"
)

// Pausing has the client call pause between attempts, instead of waiting.
func (c *Client) Pausing(pause func(time.Duration)) *Client {
	c.pause = func(ctx context.Context, d time.Duration) error {
		pause(d)
		return context.Cause(ctx)
	}
	return c
}

// MaxRetries is how often a daemon is looked for before it is given up.
const MaxRetries = maxRetries
