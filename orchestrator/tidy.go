package orchestrator

import "time"

// tidyEvery is how often at most what boo stores in a repository is looked
// after.
const tidyEvery = time.Minute

// keptCheckpoints is how many of the newest checkpoints of a session are kept.
const keptCheckpoints = 1000

// tidy looks after what boo stores in a chat's repository, and of the chat's
// checkpoints, in the background, after a turn. The engine waits for it, and cuts it off, when it closes; the
// next turn then sees to the rest. That it fails is no turn's fault, and shows
// in what "boo worktree ls" counts.
func (e *Engine) tidy(chat ChatID) {
	wt, err := e.Store.Worktree(e.life, chat)
	if err != nil {
		return
	}
	e.mu.Lock()
	due := !e.closed && e.Now().Sub(e.tidied[wt.CommonDir]) >= tidyEvery
	if due {
		e.tidied[wt.CommonDir] = e.Now()
		e.turns.Add(1)
	}
	e.mu.Unlock()
	if !due {
		return
	}
	go func() {
		defer e.turns.Done()
		release, free, err := e.Locks.TryLock("tidy-" + string(wt.Repo))
		if err != nil || !free {
			return // another boo is at it
		}
		defer release()
		_, _ = e.Store.DropCheckpoints(e.life, chat, "", keptCheckpoints)
		_ = e.Trees.Maintain(e.life, wt.CommonDir)
	}()
}
