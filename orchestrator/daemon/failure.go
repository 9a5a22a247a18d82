package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// failure is the newest start of a daemon that failed. Who waited for that start
// hears of it, and need not find out by one of its own, which may take as long.
type failure struct {
	At    time.Time `json:"at"`
	Of    Identity  `json:"of"` // who started it
	Fault *fault    `json:"fault"`
}

// within reports whether it happened in a span of time. A clock that was set
// back makes that wrong for moments only.
func (f failure) within(began, ended time.Time) bool {
	return f.Fault != nil && f.At.After(began) && !f.At.After(ended)
}

func (p Place) failurePath() string { return filepath.Join(p.Data, "locks", startLock+".failed") }

// note puts on record how a start went; the start lock is held. That it could not
// be written costs those who wait their time, and nothing else.
func (c *Client) note(err error) {
	path := c.Place.failurePath()
	if err == nil {
		_ = os.Remove(path)
		return
	}
	text, err := json.Marshal(failure{At: time.Now(), Of: c.Identity, Fault: faultOf(err)})
	if err == nil {
		_ = os.WriteFile(path, text, 0o600)
	}
}

// failedSince returns why a start that ended after began has failed, which was one
// of the same boo and configuration; nil if none did. The start lock is held.
func (c *Client) failedSince(began time.Time) error {
	text, err := os.ReadFile(c.Place.failurePath())
	if err != nil {
		return nil // there was none
	}
	var f failure
	if json.Unmarshal(text, &f) != nil || f.Of != c.Identity || !f.within(began, time.Now()) {
		return nil
	}
	return f.Fault.err()
}
