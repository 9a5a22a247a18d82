package orchestrator

import (
	"context"
	"time"
)

// follower waits for HEAD of a checkout to move. It ends with the first move:
// whoever then looks after the spares starts the next.
type follower struct {
	dir  CheckoutDir
	head ObjectID
	end  context.CancelFunc
	turn int64 // of being followed: the newest has the highest
}

// maxFollowed bounds the checkouts that are followed at once: each takes a watch
// of the few that the kernel gives a person. Those left out are taken along at
// their next turn.
const maxFollowed = 16

// FollowHeads has the spares of repositories follow HEAD from now on, without a
// turn, each time that it has moved and rest has gone by: a rebase moves it often.
// It is called before anything else, and for an engine that lives long.
func (e *Engine) FollowHeads(rest time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.following, e.headRest = map[RepoID]*follower{}, rest
}

// follow waits in the background until HEAD of a checkout is elsewhere, and then
// has the spares of its repository taken there. There is one follower for each
// repository; Close ends it and waits for it.
func (e *Engine) follow(repo RepoID, c Checkout) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.following == nil || e.closed {
		return
	}
	if last := e.following[repo]; last != nil {
		if last.dir == c.Dir && last.head == c.Head {
			return
		}
		last.end()
	} else if len(e.following) >= maxFollowed {
		e.leaveOldest()
	}
	ctx, end := context.WithCancel(e.life)
	e.followed++
	f := &follower{dir: c.Dir, head: c.Head, end: end, turn: e.followed}
	e.following[repo] = f
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		defer end()
		moved := e.Trees.HeadMoved(ctx, string(c.Dir), c.Head) == nil && rested(ctx, e.headRest)
		e.mu.Lock()
		if e.following[repo] == f {
			delete(e.following, repo)
		}
		e.mu.Unlock()
		if moved {
			e.keepSpares(repo, false)
		}
	}()
}

// leaveOldest ends the follower that has waited longest. The caller holds mu.
func (e *Engine) leaveOldest() {
	var oldest RepoID
	for repo, f := range e.following {
		if last := e.following[oldest]; last == nil || f.turn < last.turn {
			oldest = repo
		}
	}
	e.following[oldest].end()
	delete(e.following, oldest)
}

// rested waits, and reports whether it has.
func rested(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
