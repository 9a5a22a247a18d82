package worktree

import (
	"context"
	"errors"
	"maps"
	"slices"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/treeedit"
	"boo/worktree/internal/treescan"
)

// compared finds the files of a worktree that a snapshot, or the base if it is
// none, does not have as they are, by reading only those whose times and sizes do
// not prove it. Nothing is written, and no repository lies among the files. ok is
// false where git has to be asked.
func (e *Engine) compared(ctx context.Context, wt orchestrator.Worktree, snap orchestrator.Snapshot) (found comparison, ok bool) {
	p, err := e.openInProcess(ctx, wt, snap)
	if err != nil {
		return found, false
	}
	p.hashing, p.scan.Times = true, true
	ignores := e.ignoredIn(ctx, p.repo)
	_, unread, err := p.standing(ctx, ignores, p.known)
	if err = errors.Join(err, ignores.Close()); err == nil {
		err = p.readAll(ctx, unread)
	}
	if err == nil {
		found.changes, err = p.beyond(ctx, snap.Tree)
	}
	found.snap, found.ignored = snap, ignores.found
	found.snap.Verified = true
	slices.Sort(found.ignored)
	if err == nil {
		found.used, err = treescan.Newest(ctx, p.root, found.ignored, mostLooked)
		found.used = newer(found.used, ignores.newest)
	}
	return found, errors.Join(err, p.close()) == nil
}

// beyond compares the edits of the base that were found with those that make the
// tree of the snapshot before; "" is the base.
func (p *inProcess) beyond(ctx context.Context, recorded orchestrator.ObjectID) ([]unrecordedFile, error) {
	edited, err := p.tree(ctx)
	if err != nil {
		return nil, err
	}
	if recorded == "" {
		recorded, _ = p.index.Tree("")
	}
	if edited.Root == recorded {
		return nil, nil
	}
	before, err := p.before(ctx, recorded)
	if err != nil {
		return nil, err
	}
	at := func(edits map[orchestrator.Path]orchestrator.Entry, path orchestrator.Path) orchestrator.Entry {
		if entry, edited := edits[path]; edited {
			return entry
		}
		if base := p.index.Lookup(path); base != nil {
			return orchestrator.Entry{Mode: base.Mode, ID: base.ID}
		}
		return orchestrator.Entry{}
	}
	paths := slices.Collect(maps.Keys(p.edits))
	for path := range before {
		if _, twice := p.edits[path]; !twice {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var files []unrecordedFile
	for _, path := range paths {
		if was, is := at(before, path), at(p.edits, path); was != is {
			files = append(files, unrecordedFile{path: string(path), isNew: !was.Exists()})
		}
	}
	return files, nil
}

// before returns the edits of the base that made a recorded tree. The files that
// it has are remembered; which of the base's it has not is guessed, and proven by
// the tree's id.
func (p *inProcess) before(ctx context.Context, recorded orchestrator.ObjectID) (map[orchestrator.Path]orchestrator.Entry, error) {
	had := map[orchestrator.Path]orchestrator.Entry{}
	for _, entry := range p.known.Entries() {
		had[entry.Path] = orchestrator.Entry{Mode: entry.Mode, ID: entry.ID}
	}
	lacking := maps.Clone(had)
	for path, entry := range p.edits {
		if _, there := had[path]; !there && !entry.Exists() {
			lacking[path] = entry
		}
	}
	for _, guess := range []map[orchestrator.Path]orchestrator.Entry{had, lacking} {
		spine, base, err := newSpine(p.index)
		if err != nil {
			return nil, err
		}
		made, err := treeedit.Edit(ctx, p.format, base, spine.read, guess)
		if err != nil {
			return nil, err
		}
		if made.Root == recorded {
			return guess, nil
		}
	}
	return nil, errUnusual
}

// standing finds how the worktree differs from the base, as far as that is known
// from the snapshot before: same are the files that are as in it, unread those
// that would have to be read. Files that recorded has are taken for not ignored;
// it may be nil.
func (p *inProcess) standing(ctx context.Context, ignores *ignores, recorded *dircache.Index) (same []dircache.Entry, unread []orchestrator.Path, err error) {
	gone, files, err := p.list(ctx, ignores, recorded)
	if err != nil {
		return nil, nil, err
	}
	if err := p.judge(files); err != nil {
		return nil, nil, err
	}
	for _, path := range gone {
		p.edits[path] = orchestrator.Entry{}
	}
	for _, path := range files {
		st, err := p.root.Lstat(path)
		if known := p.known.Lookup(path); err == nil && known != nil && p.known.Match(known, &st) == dircache.Unchanged {
			same = append(same, *known)
			p.edits[path] = orchestrator.Entry{Mode: known.Mode, ID: known.ID}
			continue
		}
		unread = append(unread, path)
	}
	return same, unread, nil
}
