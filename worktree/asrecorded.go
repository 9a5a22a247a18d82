package worktree

import (
	"context"
	"errors"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
)

// asRecorded reports whether the times and sizes of a worktree's files prove that
// they are those of a snapshot, or of the base if it is none, and that no
// repository lies among them. Nothing is read or written but for that. false says
// only that it is not proven.
func (e *Engine) asRecorded(ctx context.Context, wt orchestrator.Worktree, snap orchestrator.Snapshot) bool {
	p, err := e.openInProcess(ctx, wt, snap)
	if err != nil {
		return false
	}
	ignores := e.ignoredIn(ctx, p.repo)
	_, unread, err := p.standing(ctx, ignores)
	if err = errors.Join(err, ignores.Close()); err == nil && len(unread) == 0 {
		edited, treeErr := p.tree(ctx)
		base, known := p.index.Tree("")
		err = treeErr
		if want := snap.Tree; edited.Root != want && (want != "" || !known || edited.Root != base) {
			err = errUnusual
		}
	}
	return errors.Join(err, p.close()) == nil && len(unread) == 0
}

// standing finds how the worktree differs from the base, as far as that is known
// from the snapshot before: same are the files that are as in it, unread those
// that would have to be read.
func (p *inProcess) standing(ctx context.Context, ignores *ignores) (same []dircache.Entry, unread []orchestrator.Path, err error) {
	gone, files, err := p.list(ctx, ignores)
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
		if known := p.known.Lookup(path); err == nil && known != nil && p.known.Match(known, &st, dircache.Rules{}) == dircache.Unchanged {
			same = append(same, *known)
			p.edits[path] = orchestrator.Entry{Mode: known.Mode, ID: known.ID}
			continue
		}
		unread = append(unread, path)
	}
	return same, unread, nil
}
