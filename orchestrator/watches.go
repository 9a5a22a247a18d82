package orchestrator

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Worktrees stay watched for a while after a turn, so that the next one finds
// out what the person did in between without looking at every file.
const (
	watchedFor = 10 * time.Minute
	// What the kernel remembers of all of them together: a sixth of what a user
	// may have watched as a rule.
	mostWatchedDirs = 32_768
)

// watches keeps the watches of chats between turns. Its methods may be called
// concurrently; a watch that was taken is the caller's.
type watches struct {
	mu     sync.Mutex
	closed bool
	kept   []*keptWatch // the last used at the end
}

type keptWatch struct {
	TreeWatch
	wt    Worktree
	dirs  int
	timer *time.Timer
}

// take returns the watch of a worktree, or nil.
func (w *watches) take(wt Worktree) TreeWatch {
	k := w.remove(func(k *keptWatch) bool { return k.wt.Chat == wt.Chat })
	if k == nil {
		return nil
	}
	if k.wt.Dir != wt.Dir || k.wt.CommonDir != wt.CommonDir {
		_ = k.Close() // nothing is lost with it
		return nil
	}
	return k.TreeWatch
}

// keep takes over a watch that rests. At most so many are kept: the others are
// closed, those first whose turns were the longest ago.
func (w *watches) keep(wt Worktree, watch TreeWatch, dirs, most int) {
	k := &keptWatch{TreeWatch: watch, wt: wt, dirs: dirs}
	w.mu.Lock()
	if w.closed || most == 0 {
		w.mu.Unlock()
		_ = k.Close() // nothing is lost with it
		return
	}
	w.kept = append(w.kept, k)
	k.timer = time.AfterFunc(watchedFor, func() { w.drop(func(other *keptWatch) bool { return other == k }) })
	w.mu.Unlock()
	for w.tooMany(most) {
		w.drop(func(*keptWatch) bool { return true })
	}
}

func (w *watches) tooMany(most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	dirs := 0
	for _, k := range w.kept {
		dirs += k.dirs
	}
	return len(w.kept) > most || len(w.kept) > 1 && dirs > mostWatchedDirs
}

// unwatch ends the watch of a worktree that is gone. Nobody waits but the engine
// when it closes: the kernel takes its time where there were many directories.
func (e *Engine) unwatch(chat ChatID) {
	k := e.watches.remove(func(k *keptWatch) bool { return k.wt.Chat == chat })
	if k == nil {
		return
	}
	end := func(context.Context) { _ = k.Close() } // nothing is lost with it
	if !e.aside(end) {
		end(e.life)
	}
}

// drop closes the first watch that is meant.
func (w *watches) drop(which func(*keptWatch) bool) {
	if k := w.remove(which); k != nil {
		_ = k.Close() // nothing is lost with it
	}
}

func (w *watches) remove(which func(*keptWatch) bool) *keptWatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.kept, which)
	if i < 0 {
		return nil
	}
	k := w.kept[i]
	w.kept = slices.Delete(w.kept, i, i+1)
	k.timer.Stop()
	return k
}

// close closes all watches; none is kept from then on.
func (w *watches) close() {
	w.mu.Lock()
	w.closed = true
	kept := w.kept
	w.kept = nil
	w.mu.Unlock()
	for _, k := range kept {
		k.timer.Stop()
		_ = k.Close() // nothing is lost with it
	}
}
