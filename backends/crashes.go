package backends

import (
	"slices"
	"time"

	"boo/orchestrator"
)

// An agent that crashes this often in this time is left alone for a while.
const (
	maxCrashes = 3
	crashSpan  = 10 * time.Minute
	coolDown   = 5 * time.Minute
)

// crashes remembers when sessions lost their process in a way that nobody
// asked for.
type crashes map[key]*record

type record struct {
	at   []time.Time // within crashSpan of the newest
	last error
}

func (c crashes) add(k key, cause error, now time.Time) {
	r := c[k]
	if r == nil {
		r = &record{}
		c[k] = r
	}
	r.at = slices.DeleteFunc(r.at, func(at time.Time) bool { return now.Sub(at) > crashSpan })
	r.at, r.last = append(r.at, now), cause
}

// check returns the error of a start that comes too early. Once the cool-down
// is over, counting begins anew.
func (c crashes) check(k key, now time.Time) error {
	r := c[k]
	if r == nil || len(r.at) < maxCrashes {
		return nil
	}
	left := r.at[len(r.at)-1].Add(coolDown).Sub(now)
	if left <= 0 {
		delete(c, k)
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeAgent,
		"agent %s crashed %d times within %s in this chat, so that it is not started again for %s; nothing was sent (the last crash: %w)",
		k.agent, len(r.at), crashSpan, left.Round(time.Second), r.last).
		WithHint("boo chat restart %s --agent %s", k.chat, k.agent)
}

func (c crashes) forget(chat orchestrator.ChatID, agent orchestrator.AgentName) {
	for k := range c {
		if k.chat == chat && (agent == "" || k.agent == agent) {
			delete(c, k)
		}
	}
}
