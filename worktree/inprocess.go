package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
	"boo/worktree/internal/treeedit"
	"boo/worktree/internal/treescan"
)

// errUnusual says that a snapshot is git's to take.
var errUnusual = treescan.ErrUnusual

// clockTick is more than the coarsest clock that file systems stamp files
// with: what was written that shortly before a scan may be written again
// without a trace.
const clockTick = 20 * time.Millisecond

// inProcess is one snapshot that is taken without git, but for the question
// what is ignored. Its result is what git would make of the same files;
// wherever that is not certain it fails with [errUnusual], having changed
// nothing that anybody sees, and git takes the snapshot.
type inProcess struct {
	engine *Engine
	wt     orchestrator.Worktree
	repo   repo
	format objectid.Format
	began  time.Time

	root      *safeopen.Root
	index     *dircache.Index // boo's own, at the base
	known     *dircache.Index // files that the snapshot before has, and the base has not
	scan      treescan.Options
	text      bool       // line ends may be converted
	rewritten conversion // what only git can follow of attributes
	byForce   forcedFiles
	rules     map[orchestrator.Path]bool // directories whose attributes were looked at
	textual   map[orchestrator.Path]bool // those whose attributes call for line ends
	pack      *pack.Writer
	written   pack.Result
	hashing   bool                             // files are named by their content, and not stored
	stored    func(orchestrator.ObjectID) bool // is it there, though nothing may refer to it yet; may be nil
	edits     map[orchestrator.Path]orchestrator.Entry
	changed   []dircache.Entry // files among edits, with their stat data
	same      []dircache.Entry // suspects that turned out to be as in the base
	read      bool             // a file had to be read
	last      bool             // what goes while it is looked for is gone
	linked    bool             // a file has other names, by hard links, maybe elsewhere
	ignored   []orchestrator.Path
}

// snapshotInProcess takes a snapshot and moves the chat's ref to it.
func (e *Engine) snapshotInProcess(ctx context.Context, take taking) (snap orchestrator.Snapshot, err error) {
	p, err := e.openInProcess(ctx, take.wt, take.prev)
	if err != nil {
		return snap, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.prepare(take); err != nil {
		return snap, err
	}
	if err := p.find(ctx); err != nil {
		return snap, err
	}
	edited, err := p.tree(ctx)
	if err != nil {
		return snap, err
	}
	snap, same := take.same(edited.Root)
	whole := same // else the watch is asked, and what it tells is used up
	if !same && take.fence != nil {
		if err := take.fence.leaveOut(ctx, p); err != nil {
			return snap, err
		}
		if edited, err = p.tree(ctx); err != nil {
			return snap, err
		}
		snap, same = take.same(edited.Root)
	}
	if !same {
		if snap, err = p.write(edited, e.authored(ctx, take)); err != nil {
			return snap, err
		}
		snap.AsBase = take.prev.Commit == "" && len(p.edits) == 0
	}
	err = e.chain(ctx, take, snap.Commit)
	if p.written.Keep != "" {
		_ = os.Remove(p.written.Keep) // removed by the next snapshot if not by this one
	}
	if err == nil {
		p.learn(snap)
	}
	if err == nil && take.looked != nil && whole && !p.linked {
		*take.looked = p.lookedThrough(snap)
	}
	return snap, err
}

// openInProcess opens what a snapshot needs, if it can be taken in process.
func (e *Engine) openInProcess(ctx context.Context, wt orchestrator.Worktree, prev orchestrator.Snapshot) (*inProcess, error) {
	p := &inProcess{
		engine: e, wt: wt, began: time.Now().Add(-clockTick),
		edits: map[orchestrator.Path]orchestrator.Entry{},
		rules: map[orchestrator.Path]bool{}, textual: map[orchestrator.Path]bool{},
	}
	var err error
	if p.repo, err = e.chat(ctx, wt); err != nil {
		return nil, err
	}
	carried, core, err := carriedRules(p.repo.gitDir)
	if err != nil {
		return nil, err
	}
	p.rewritten = rewritten
	if usesLFS(core) {
		p.rewritten |= pointing
	}
	if _, shared := core["sharedrepository"]; shared || carried&(p.rewritten|unusual) != 0 {
		return nil, unusually("your configuration calls for it (core.sharedRepository, core.fileMode and the like, or attributes)")
	}
	p.text = carried&textual != 0
	if p.format, err = objectid.FormatOf(wt.Base); err != nil {
		return nil, err
	}
	if p.index, err = dircache.Read(p.repo.index, p.format); err != nil {
		return nil, err
	}
	for _, entry := range p.index.Entries() {
		if entry.Mode == orchestrator.ModeGitlink || entry.Stage != 0 || entry.Flags != 0 {
			return nil, unusually("%s is a submodule, or outside of a sparse checkout", entry.Path)
		}
	}
	p.known = e.changedSince(wt.Chat, prev, p.format)
	if p.root, err = safeopen.OpenRoot(string(wt.Dir)); err != nil {
		return nil, err
	}
	p.scan = treescan.Options{Root: p.root, Index: p.index}
	return p, nil
}

// prepare makes room for what the snapshot will write.
func (p *inProcess) prepare(take taking) error {
	opts := p.engine.packOptions(p.wt, p.format)
	opts.Exists = p.exists
	p.scan.Soft = take.fast != nil
	if take.fast == nil {
		if err := p.engine.releaseKept(p.wt.CommonDir, p.wt.Chat); err != nil {
			return err
		}
	} else {
		p.stored, p.known = take.fast.pack.Has, take.fast.known
	}
	p.pack = pack.New(packsDir(p.wt.CommonDir), opts)
	return nil
}

// close frees what the snapshot holds.
func (p *inProcess) close() error {
	var err error
	if p.pack != nil {
		err = p.pack.Close()
	}
	return errors.Join(err, p.root.Close())
}

// tree makes the trees of what find has found.
func (p *inProcess) tree(ctx context.Context) (treeedit.Result, error) {
	if p.newRules() {
		return treeedit.Result{}, unusually("attributes were changed") // git reads what they hold for
	}
	spine, base, err := newSpine(p.index)
	if err != nil {
		return treeedit.Result{}, err
	}
	return treeedit.Edit(ctx, p.format, base, spine.read, p.edits)
}

// write adds trees and commit to the pack, and puts it in place.
func (p *inProcess) write(edited treeedit.Result, c commit) (orchestrator.Snapshot, error) {
	snap := orchestrator.Snapshot{Tree: edited.Root, Parent: c.parents[0]}
	err := p.addTrees(edited.Trees)
	if err != nil {
		return snap, err
	}
	c.tree = snap.Tree
	if snap.Commit, err = p.pack.Add(objectid.Commit, c.encode()); err != nil {
		return snap, err
	}
	p.written, err = p.pack.Commit()
	return snap, err
}

// addTrees adds trees to the pack, as many at a time as files are read.
func (p *inProcess) addTrees(trees []treeedit.Object) error {
	errs := make([]error, readers)
	var wg sync.WaitGroup
	var next atomic.Int64
	for i := range errs {
		wg.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(trees)) && errs[i] == nil; at = next.Add(1) - 1 {
				_, errs[i] = p.pack.Add(objectid.Tree, trees[at].Content)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// exists reports objects that are certainly there.
func (p *inProcess) exists(id orchestrator.ObjectID) (bool, error) {
	return id == p.format.EmptyTree() || p.stored != nil && p.stored(id), nil
}

// looks is how many times in all a tree is looked at in which files go while they
// are looked for.
const looks = 4

// find fills in how the worktree differs from the base. Where a file goes that was
// there before, all is looked at again: it may have another name now.
func (p *inProcess) find(ctx context.Context) error {
	for look := 1; ; look++ {
		err := p.look(ctx, look == looks)
		if look == looks || !errors.Is(err, unix.ENOENT) || ctx.Err() != nil {
			return err
		}
		clear(p.edits)
		clear(p.rules)
		clear(p.textual)
		p.changed, p.same = nil, nil
	}
}

// look is one look for find; at the last one a file that goes is gone.
func (p *inProcess) look(ctx context.Context, last bool) error {
	p.last = last
	ignores := p.engine.ignoredIn(ctx, p.repo)
	gone, files, err := p.list(ctx, ignores, nil)
	if err = errors.Join(err, ignores.Close()); err != nil {
		return err
	}
	p.ignored = ignores.found
	slices.Sort(p.ignored)
	for _, path := range gone {
		p.edits[path] = orchestrator.Entry{}
	}
	if err := p.judge(files); err != nil {
		return err
	}
	return p.readAll(ctx, files)
}

// list scans the worktree: what the base has and is gone, and the files that
// may differ from the base; recorded is as in [inProcess.standing].
func (p *inProcess) list(ctx context.Context, ignores *ignores, recorded *dircache.Index) (gone, files []orchestrator.Path, err error) {
	agents := make(chan error, 1)
	go func() { agents <- p.byForce.read(p) }()
	found, err := treescan.Run(ctx, p.scan)
	if err = errors.Join(err, <-agents); err != nil {
		return nil, nil, err
	}
	p.linked = found.Linked
	forced, err := p.byForce.there(p)
	if err != nil {
		return nil, nil, err
	}
	untracked, err := ignores.untracked(p.scan, found, recorded, p.engine.opts.MaxUntracked)
	if err != nil {
		return nil, nil, err
	}
	files = slices.Concat(found.Suspects, untracked, forced)
	slices.Sort(files)
	return found.Gone, slices.Compact(files), nil
}

func isRules(path orchestrator.Path) bool {
	return path == ".gitattributes" || strings.HasSuffix(string(path), "/.gitattributes")
}

// judge looks at the names of the files and at the attributes that hold for
// them now.
func (p *inProcess) judge(files []orchestrator.Path) error {
	for _, file := range files {
		for dir := file; dir != ""; {
			i := strings.LastIndexByte(string(dir), '/')
			dir = dir[:max(i, 0)]
			if p.rules[dir] {
				break
			}
			p.rules[dir] = true
			if err := p.attributesIn(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *inProcess) attributesIn(dir orchestrator.Path) error {
	f, err := p.root.Open(join(dir, ".gitattributes"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnusual, err)
	}
	defer f.Close()
	if f.Stat().Size > ruleLimit {
		return unusually("%s is too large", join(dir, ".gitattributes"))
	}
	content := make([]byte, f.Stat().Size)
	if _, err := readFull(f, content); err != nil {
		return fmt.Errorf("%w: %w", errUnusual, err)
	}
	c := attributes(content)
	if c&p.rewritten != 0 {
		return unusually("%s has files converted", join(dir, ".gitattributes"))
	}
	if c&textual != 0 {
		p.text, p.textual[dir] = true, true
	}
	return nil
}

// learn keeps what was found out, for the next snapshot to be faster. That it
// cannot be kept is no harm.
func (p *inProcess) learn(snap orchestrator.Snapshot) {
	if len(p.same) > 0 {
		for _, entry := range p.same {
			p.index.Refresh(entry.Path, entry.Stat)
		}
		p.index.Advance(p.began)
		_ = os.Remove(p.repo.index + ".lock") // of a git that died: the caller holds the chat
		_ = p.index.WriteFile(p.repo.index)
	}
	if !p.read && p.engine.remembered(p.wt.Chat).Commit == snap.Commit {
		return // nothing that is not known
	}
	changed := dircache.New(p.format, p.began)
	if changed.Edit(p.changed, nil) == nil {
		_ = p.engine.remember(p.wt.Chat, snap, changed)
	}
}
