package backends

import (
	"slices"
	"time"

	"boo/orchestrator"
)

// patience is how many crashes within which time are too many, and for how long
// nothing is started after them.
type patience struct {
	crashes      int
	within, rest time.Duration
}

// A session loses only its own chat's work, and is left alone for long. A
// process for all chats is missed by all of them, and is tried again soon.
var (
	withSession = patience{3, 10 * time.Minute, 5 * time.Minute}
	withServer  = patience{5, 2 * time.Minute, time.Minute}
)

// crashes remembers when sessions lost their process in a way that nobody
// asked for, and when a process for all chats was lost or did not come up: that
// is under the key without a chat.
type crashes map[key]*record

type record struct {
	at   []time.Time // the newest, and those shortly before it
	last error
}

func (k key) patience() patience {
	if k.chat == "" {
		return withServer
	}
	return withSession
}

func (c crashes) add(k key, cause error, now time.Time) {
	r := c[k]
	if r == nil {
		r = &record{}
		c[k] = r
	}
	r.at = slices.DeleteFunc(r.at, func(at time.Time) bool { return now.Sub(at) > k.patience().within })
	r.at, r.last = append(r.at, now), cause
}

// check returns the error of a session's start that comes too early.
func (c crashes) check(k key, now time.Time) error {
	r, left := c.rest(k, now)
	if left <= 0 {
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeAgent,
		"agent %s crashed %d times within %s in this chat, so that it is not started again for %s; nothing was sent (the last crash: %w)",
		k.agent, len(r.at), withSession.within, left, r.last).
		WithHint("boo chat restart %s --agent %s", k.chat, k.agent)
}

// checkServer returns the error of a start that comes too early, for k, of the
// process that all chats share.
func (c crashes) checkServer(k key, now time.Time) error {
	r, left := c.rest(key{agent: k.agent}, now)
	if left <= 0 {
		return nil
	}
	err := orchestrator.Errorf(orchestrator.CodeAgent,
		"agent %s, which all chats share, crashed or did not come up %d times within %s, so that it is not started again for %s; nothing was sent (the last time: %w)",
		k.agent, len(r.at), withServer.within, left, r.last)
	if k.chat == "" {
		return err.WithHint("boo agents doctor %s", k.agent)
	}
	return err.WithHint("boo chat restart %s --agent %s", k.chat, k.agent)
}

// rest returns for how long nothing is started for k, to the second. Once that
// is over, counting begins anew.
func (c crashes) rest(k key, now time.Time) (*record, time.Duration) {
	r := c[k]
	if r == nil || len(r.at) < k.patience().crashes {
		return nil, 0
	}
	left := r.at[len(r.at)-1].Add(k.patience().rest).Sub(now)
	if left <= 0 {
		delete(c, k)
		return nil, 0
	}
	return r, max(left.Round(time.Second), time.Second)
}

// forget has a chat's agents started again, all of them if agent is "". That of
// all chats is meant only by who names it.
func (c crashes) forget(chat orchestrator.ChatID, agent orchestrator.AgentName) {
	delete(c, key{agent: agent})
	for k := range c {
		if k.chat == chat && (agent == "" || k.agent == agent) {
			delete(c, k)
		}
	}
}
