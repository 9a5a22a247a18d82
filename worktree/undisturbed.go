package worktree

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/safeopen"
)

// lookedThrough is what a snapshot in process that looked at every file found.
type lookedThrough struct {
	snap    orchestrator.Snapshot
	ignored []orchestrator.Path // as in comparison
	forced  forcedFiles
	byForce map[orchestrator.Path]dircache.Stat // of those that were there
	began   time.Time
}

// lookedThrough returns what was found of the files that a snapshot has.
func (p *inProcess) lookedThrough(snap orchestrator.Snapshot) lookedThrough {
	l := lookedThrough{snap: snap, ignored: p.ignored, forced: p.byForce, byForce: map[orchestrator.Path]dircache.Stat{}, began: p.began}
	for _, entry := range slices.Concat(p.changed, p.same) {
		if _, forced := slices.BinarySearch(p.byForce.paths, entry.Path); forced {
			l.byForce[entry.Path] = entry.Stat
		}
	}
	return l
}

// stillForced reports whether the files that were added by force, which lie where
// nobody watches, are as they were.
func (l *lookedThrough) stillForced(wt orchestrator.Worktree) bool {
	if l.forced.stale(wt, l.began) {
		return false
	}
	if len(l.forced.paths) == 0 {
		return true
	}
	root, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return false
	}
	defer root.Close()
	for _, path := range l.forced.paths {
		st, err := root.Lstat(path)
		was, there := l.byForce[path]
		switch {
		case errors.Is(err, fs.ErrNotExist) && !there:
		case err != nil || !there || dircache.StatOf(&st) != was || !was.Touched().Before(l.began):
			return false
		}
	}
	return true
}

// resting are the watches of worktrees between turns, by chat. Its methods may be
// called concurrently.
type resting struct {
	mu sync.Mutex
	of map[orchestrator.ChatID]*treeWatch
}

func (r *resting) add(w *treeWatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[orchestrator.ChatID]*treeWatch{}
	}
	r.of[w.wt.Chat] = w
}

func (r *resting) remove(w *treeWatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of[w.wt.Chat] == w {
		delete(r.of, w.wt.Chat)
	}
}

func (r *resting) get(chat orchestrator.ChatID) *treeWatch {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[chat]
}

// undisturbed is what unrecorded would find, where a watch that rests was told of
// nothing since every file was compared with the newest snapshot. It costs the same
// for all trees. The watch is on the directories and not on their names, so that it
// holds also when the worktree was moved. What no watch is told of is this: writes
// through a memory mapping, for which the caller looks among processes; and those
// through a hard link that lies outside, which keeps them. ok is false where the
// files have to be looked at.
func (e *Engine) undisturbed(ctx context.Context, wt orchestrator.Worktree, newest orchestrator.Snapshot) (found comparison, ok bool) {
	w := e.resting.get(wt.Chat)
	if w == nil || w.wt.CommonDir != wt.CommonDir || w.wt.Base != wt.Base {
		return found, false
	}
	w.mu.Lock() // it may be closed at any time
	defer w.mu.Unlock()
	was := w.looked
	if w.view == nil || w.doubt != nil || was == nil || was.snap.Commit != newest.Commit || was.snap.Tree != newest.Tree {
		return found, false
	}
	if !was.stillForced(wt) {
		return found, false
	}
	if quiet, err := w.view.watcher.Quiet(ctx, string(wt.Dir)); err != nil || !quiet {
		return found, false
	}
	found.snap, found.ignored = newest, was.ignored
	found.snap.Verified = true
	return found, true
}
