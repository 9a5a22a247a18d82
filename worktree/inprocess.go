package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

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

	root    *safeopen.Root
	index   *dircache.Index // boo's own, at the base
	known   *dircache.Index // files that the snapshot before has, and the base has not
	scan    treescan.Options
	text    bool // line ends may be converted
	pack    *pack.Writer
	edits   map[orchestrator.Path]orchestrator.Entry
	changed []dircache.Entry // files among edits, with their stat data
	same    []dircache.Entry // suspects that turned out to be as in the base
}

// snapshotInProcess takes a snapshot on prev and moves the chat's ref to it.
func (e *Engine) snapshotInProcess(ctx context.Context, wt orchestrator.Worktree, prev orchestrator.Snapshot, c commit) (snap orchestrator.Snapshot, err error) {
	p, err := e.beginInProcess(ctx, wt, prev)
	if err != nil {
		return snap, err
	}
	defer func() { err = errors.Join(err, p.pack.Close(), p.root.Close()) }()
	if err := p.find(ctx); err != nil {
		return snap, err
	}
	spine, base, err := newSpine(p.index)
	if err != nil {
		return snap, err
	}
	edited, err := treeedit.Edit(ctx, p.format, base, spine.read, p.edits)
	if err != nil {
		return snap, err
	}
	if edited.Root != prev.Tree {
		for _, tree := range edited.Trees {
			if _, err := p.pack.Add(objectid.Tree, tree.Content); err != nil {
				return snap, err
			}
		}
	}
	snap.Tree, snap.Parent = edited.Root, c.parents[0]
	c.tree = snap.Tree
	if snap.Commit, err = p.pack.Add(objectid.Commit, c.encode()); err != nil {
		return snap, err
	}
	written, err := p.pack.Commit()
	if err != nil {
		return snap, err
	}
	head, _, _ := refsOf(wt.Chat)
	err = e.MoveRef(ctx, wt.CommonDir, head, prev.Commit, snap.Commit)
	if written.Keep != "" {
		_ = os.Remove(written.Keep) // removed by the next snapshot if not by this one
	}
	if err != nil {
		return snap, err
	}
	p.learn(snap)
	return snap, nil
}

// beginInProcess opens what a snapshot needs, if it can be taken in process.
func (e *Engine) beginInProcess(ctx context.Context, wt orchestrator.Worktree, prev orchestrator.Snapshot) (*inProcess, error) {
	p := &inProcess{engine: e, wt: wt, began: time.Now().Add(-clockTick), edits: map[orchestrator.Path]orchestrator.Entry{}}
	var err error
	if p.repo, err = e.chat(ctx, wt); err != nil {
		return nil, err
	}
	carried, core, err := carriedRules(p.repo.gitDir)
	if err != nil {
		return nil, err
	}
	if _, shared := core["sharedrepository"]; shared || carried&(rewritten|unusual) != 0 {
		return nil, errUnusual
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
			return nil, errUnusual
		}
	}
	p.known = e.changedSince(wt.Chat, prev, p.format)
	if p.root, err = safeopen.OpenRoot(string(wt.Dir)); err != nil {
		return nil, err
	}
	p.scan = treescan.Options{Root: p.root, Index: p.index, Rules: dircache.Rules{
		IgnoreCtime: !isSet(core, "trustctime", true), Minimal: strings.EqualFold(core["checkstat"], "minimal"),
	}}
	if err := releaseKept(wt.CommonDir, keepReason(wt.Chat)); err != nil {
		return nil, errors.Join(err, p.root.Close())
	}
	p.pack = pack.New(packsDir(wt.CommonDir), e.packOptions(wt, p.format))
	return p, nil
}

// find fills in how the worktree differs from the base.
func (p *inProcess) find(ctx context.Context) error {
	agents := make(chan forcedResult, 1)
	go func() { agents <- p.forced() }()
	found, err := treescan.Run(ctx, p.scan)
	forced := <-agents
	if err = errors.Join(err, forced.err); err != nil {
		return err
	}
	untracked, err := p.engine.untracked(ctx, p.repo, p.scan, found)
	if err != nil {
		return err
	}
	files := slices.Concat(found.Suspects, untracked, forced.files)
	slices.Sort(files)
	files = slices.Compact(files)
	for _, path := range found.Gone {
		if isRules(path) {
			return errUnusual // git goes by the rules of the base then
		}
		p.edits[path] = orchestrator.Entry{}
	}
	if err := p.judge(files); err != nil {
		return err
	}
	return p.read(ctx, files)
}

func isRules(path orchestrator.Path) bool {
	return path == ".gitattributes" || strings.HasSuffix(string(path), "/.gitattributes")
}

// judge looks at the names of the files and at the attributes that hold for
// them now.
func (p *inProcess) judge(files []orchestrator.Path) error {
	seen := map[orchestrator.Path]bool{}
	for _, file := range files {
		for dir := file; dir != ""; {
			i := strings.LastIndexByte(string(dir), '/')
			dir = dir[:max(i, 0)]
			if seen[dir] {
				break
			}
			seen[dir] = true
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
		return errUnusual
	}
	content := make([]byte, f.Stat().Size)
	if _, err := readFull(f, content); err != nil {
		return fmt.Errorf("%w: %w", errUnusual, err)
	}
	c := attributes(content)
	if c&rewritten != 0 {
		return errUnusual
	}
	p.text = p.text || c&textual != 0
	return nil
}

type forcedResult struct {
	files []orchestrator.Path
	err   error
}

// forced returns the files in the agent's own index that the base has not:
// those among them that are ignored were added by force.
func (p *inProcess) forced() forcedResult {
	path := adminOf(p.wt).file("index")
	if sameTrailer(path, p.repo.index, p.format.Size()) {
		return forcedResult{} // as boo has made it
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return forcedResult{}
	}
	index, err := dircache.Read(path, p.format)
	if err != nil {
		return forcedResult{err: err}
	}
	var files []orchestrator.Path
	base := p.index.Entries()
	for _, entry := range index.Entries() {
		for len(base) > 0 && base[0].Path < entry.Path {
			base = base[1:]
		}
		if len(base) > 0 && base[0].Path == entry.Path {
			continue
		}
		if entry.Mode == orchestrator.ModeGitlink {
			return forcedResult{err: errUnusual}
		}
		st, err := p.root.Lstat(entry.Path)
		if err == nil && dircache.ModeOf(&st) != orchestrator.ModeGitlink { // a directory is no file of the agent's any more
			files = append(files, entry.Path)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, safeopen.ErrSymlink) {
			return forcedResult{err: fmt.Errorf("%w: %w", errUnusual, err)}
		}
	}
	return forcedResult{files: slices.Compact(files)}
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
	changed := dircache.New(p.format, p.began)
	if changed.Edit(p.changed, nil) == nil {
		_ = p.engine.remember(p.wt.Chat, snap, changed)
	}
}
