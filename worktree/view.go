package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/safeopen"
	"boo/worktree/internal/treeedit"
	"boo/worktree/internal/treescan"
	"boo/worktree/internal/watch"
)

// view knows how a worktree differs from its base, and what has been touched
// since it knew. It is used by one goroutine.
//
// It holds what a snapshot in process finds by a scan, found once:
//
//	watcher started ─▶ scan: like the snapshot before? ─▶ edits
//	       │                        ╰─ no ─▶ unread
//	       ╰─ touched since ──────────────────▶ ╰─▶ read ─▶ edits ─▶ trees ─▶ pack
//
// The scan comes after the watcher's start, so that nothing falls between.
type view struct {
	*inProcess
	prev    orchestrator.Snapshot
	watcher *watch.Watcher
	ignores *ignores
	unread  map[orchestrator.Path]bool // to be looked at by the next snapshot
	late    error                      // why it cannot tell what was touched since the last one; nil if it can

	mu      sync.RWMutex // guards index and resting for skip, which the watcher calls
	resting bool

	stirs  sync.Mutex
	dozing bool // at rest in a turn: the first thing that is touched wakes it
	waking sync.WaitGroup
}

// maxWatched bounds the directories of one worktree that are watched: a sixth
// of what systems allow a user as a rule.
const maxWatched = 32_768

// openView fails where the worktree is not to be watched.
func (e *Engine) openView(ctx context.Context, wt orchestrator.Worktree) (v *view, err error) {
	prev, err := e.Newest(ctx, wt)
	if err != nil {
		return nil, err
	}
	p, err := e.openInProcess(ctx, wt, prev)
	if err != nil {
		return nil, err
	}
	v = &view{inProcess: p, prev: prev, ignores: e.ignoredIn(ctx, p.repo), unread: map[orchestrator.Path]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.close())
			v = nil
		}
	}()
	private, err := e.tempHome()
	if err != nil {
		return v, err
	}
	v.watcher, err = watch.Start(string(wt.Dir), watch.Options{Private: private, Skip: v.skip, First: v.stir, MaxDirs: maxWatched})
	if err != nil {
		return v, err
	}
	return v, v.compare(ctx)
}

// close frees what the view holds, and ends its git.
func (v *view) close() error {
	var err error
	if v.watcher != nil {
		err = v.watcher.Close()
	}
	return errors.Join(err, v.rest())
}

// rest keeps what a view has to remember and gives up the rest, until wake: git
// ends, nothing in the worktree is open, and the index is read again.
func (v *view) rest() error {
	v.doze(false)
	v.waking.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.resting {
		return nil
	}
	v.resting = true
	err := errors.Join(v.ignores.Close(), v.inProcess.close())
	v.root, v.index, v.pack, v.scan = nil, nil, nil, treescan.Options{}
	v.changed, v.same = nil, nil
	return err
}

// wake undoes rest. That the directory is the one that was watched is for the
// watcher to find out.
func (v *view) wake() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.resting {
		return nil
	}
	if v.index, err = dircache.Read(v.repo.index, v.format); err != nil {
		return err
	}
	if v.root, err = safeopen.OpenRoot(string(v.wt.Dir)); err != nil {
		return err
	}
	v.resting = false
	return nil
}

// doze has a view that rests wake as soon as the agent writes something.
func (v *view) doze(on bool) {
	v.stirs.Lock()
	defer v.stirs.Unlock()
	v.dozing = on
}

// stir is told by the watcher that something was touched. That wake fails is found
// out by who needs it.
func (v *view) stir() {
	v.stirs.Lock()
	defer v.stirs.Unlock()
	if v.dozing {
		v.dozing = false
		v.waking.Go(func() { _ = v.wake() }) // waited for by rest
	}
}

// skip reports whether nothing below a directory will be recorded, but for what
// was added by force. Between turns nobody is asked, and everything is watched.
func (v *view) skip(dir orchestrator.Path) bool {
	v.stir()
	v.waking.Wait()
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.resting {
		return false
	}
	if len(v.index.Under(dir)) > 0 {
		return false
	}
	ignored, err := v.ignores.ask([]orchestrator.Path{dir})
	return err == nil && ignored[0]
}

// compare finds how the worktree differs from the base. What is as in the
// snapshot before is known; the rest is left for the next one to read.
func (v *view) compare(ctx context.Context) error {
	same, unread, err := v.standing(ctx, v.ignores, nil)
	if err != nil {
		return err
	}
	settled := dircache.New(v.format, v.known.AsOf())
	for _, path := range unread {
		v.unread[path] = true
	}
	v.known = settled
	return settled.Edit(same, nil)
}

// snapshot makes a provisional snapshot of what is touched by now; nil if the
// one before will do.
func (v *view) snapshot(ctx context.Context, t taking) (*provisional, error) {
	if fast, ok, err := v.unchanged(ctx, t); ok || err != nil {
		return fast, err
	}
	if err := v.wake(); err != nil {
		return nil, err
	}
	changes, err := v.watcher.Drain(ctx)
	if err = errors.Join(err, untold(changes)); err != nil {
		return nil, err
	}
	stale := v.byForce.stale(v.wt, v.began)
	v.began = time.Now().Add(-clockTick)
	v.changed, v.same = nil, nil
	touched, err := v.touched(changes, stale)
	if err != nil {
		return nil, err
	}
	files, err := v.sort(touched)
	if err != nil {
		return nil, err
	}
	v.beginPack()
	defer func() { _ = v.pack.Close() }() // nothing is left of what was not put in place
	if err := v.judge(files); err != nil {
		return nil, err
	}
	if err := v.readAll(ctx, files); err != nil {
		return nil, err
	}
	for _, entry := range v.same {
		delete(v.edits, entry.Path)
	}
	edited, err := v.tree(ctx)
	if err != nil {
		return nil, err
	}
	_, same := t.same(edited.Root)
	var snap orchestrator.Snapshot
	if !same {
		if snap, err = v.write(edited, v.engine.authored(ctx, t)); err != nil {
			return nil, err
		}
	}
	if err := v.know(touched); err != nil {
		return nil, err
	}
	clear(v.unread)
	if same {
		return nil, nil
	}
	return &provisional{snap: snap, pack: v.pack, keep: v.written.Keep, known: v.known}, nil
}

// unchanged is snapshot where nothing was touched since the one before: what rests
// need not wake for it. ok is false if there may be something to look at.
func (v *view) unchanged(ctx context.Context, t taking) (fast *provisional, ok bool, err error) {
	if v.prev.Tree == "" || len(v.unread)+len(v.byForce.paths) > 0 || v.byForce.stale(v.wt, v.began) {
		return nil, false, nil
	}
	if quiet, err := v.watcher.Quiet(ctx, string(v.wt.Dir)); err != nil || !quiet {
		return nil, false, err
	}
	if _, same := t.same(v.prev.Tree); same {
		return nil, true, nil
	}
	v.beginPack()
	defer func() { _ = v.pack.Close() }()
	snap, err := v.write(treeedit.Result{Root: v.prev.Tree}, v.engine.authored(ctx, t))
	if err != nil {
		return nil, false, err
	}
	return &provisional{snap: snap, pack: v.pack, keep: v.written.Keep, known: v.known}, true, nil
}

func (v *view) beginPack() {
	opts := v.engine.packOptions(v.wt, v.format)
	opts.Provisional = true
	v.pack = pack.New(packsDir(v.wt.CommonDir), opts)
}

// touched returns all paths that have to be looked at.
func (v *view) touched(changes watch.Changes, forced bool) (map[orchestrator.Path]bool, error) {
	touched := v.unread
	add := func(paths []orchestrator.Path) {
		for _, path := range paths {
			touched[path] = true
		}
	}
	add(changes.Files)
	// What is added by force lies where nobody watches.
	add(v.byForce.paths)
	if forced {
		if err := v.byForce.read(v.inProcess); err != nil {
			return nil, err
		}
		add(v.byForce.paths)
	}
	trees := map[orchestrator.Path]bool{}
	for _, tree := range changes.Trees {
		trees[tree] = true
		for _, entry := range v.index.Under(tree) {
			touched[entry.Path] = true
		}
	}
	if len(trees) > 0 {
		for path := range v.edits {
			for dir := parentOf(path); dir != ""; dir = parentOf(dir) {
				if trees[dir] {
					touched[path] = true
					break
				}
			}
		}
	}
	return touched, nil
}

// sort takes down of the touched paths what is gone or ignored, and returns the
// files to read.
func (v *view) sort(touched map[orchestrator.Path]bool) (files []orchestrator.Path, err error) {
	var unknown []orchestrator.Path
	for path := range touched {
		st, err := v.root.Lstat(path)
		tracked := v.index.Lookup(path) != nil
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, safeopen.ErrSymlink), err == nil && dircache.ModeOf(&st) == orchestrator.ModeGitlink:
			if err := v.gone(path, tracked); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		case dircache.ModeOf(&st) == orchestrator.ModeNone:
			if tracked {
				return nil, unusually("%s is neither a file nor a symlink", path)
			}
			delete(v.edits, path)
		case tracked:
			files = append(files, path)
		default:
			unknown = append(unknown, path)
		}
	}
	slices.Sort(unknown)
	ignored, err := v.ignores.ask(unknown)
	if err != nil {
		return nil, err
	}
	for i, path := range unknown {
		if _, forced := slices.BinarySearch(v.byForce.paths, path); ignored[i] && !forced {
			delete(v.edits, path)
			continue
		}
		files = append(files, path)
	}
	if len(v.edits)+len(unknown) > v.engine.opts.MaxUntracked {
		return nil, fmt.Errorf("%w: a flood of untracked files", errUnusual)
	}
	slices.Sort(files)
	return files, nil
}

// gone takes down that no file is at a path.
func (v *view) gone(path orchestrator.Path, tracked bool) error {
	switch {
	case !tracked:
		delete(v.edits, path)
	default:
		v.edits[path] = orchestrator.Entry{}
	}
	return nil
}

// know makes the files that were read known, beside those that were known and
// not touched.
func (v *view) know(touched map[orchestrator.Path]bool) error {
	all := v.changed
	for _, entry := range v.known.Entries() {
		if !touched[entry.Path] && !v.known.Racy(&entry) {
			all = append(all, entry)
		}
	}
	v.known = dircache.New(v.format, v.began)
	return v.known.Edit(all, nil)
}
