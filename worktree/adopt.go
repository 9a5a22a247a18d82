package worktree

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"boo/orchestrator"
)

// adopt makes the spare that was made for a chat its worktree. It reports false
// where there is none, or it is not what it was, or not near enough: Create then
// makes the worktree anew, in its place.
func (e *Engine) adopt(ctx context.Context, wt orchestrator.Worktree) bool {
	if wt.Baseline != "" && wt.Baseline != wt.Base {
		return false
	}
	p, err := e.proven(ctx, wt)
	if err != nil {
		return false
	}
	if p.Base != wt.Base && e.catchUp(ctx, wt, p) != nil {
		return false
	}
	if replaceFile(adminOf(wt).file("locked"), []byte(lockReason(wt.Chat)+"\n")) != nil {
		return false
	}
	return e.distrust(wt.Chat) == nil
}

// reach is how many files may differ between the base of a spare and the one that
// is wanted: those are written one by one, by git.
const reach = 1000

// catchUp takes a spare to another base. It has no proof afterwards. On error it
// is to be made anew.
func (e *Engine) catchUp(ctx context.Context, wt orchestrator.Worktree, p proof) error {
	if err := e.near(ctx, wt, p); err != nil {
		return err
	}
	if err := e.distrust(wt.Chat); err != nil {
		return err
	}
	_, base, baseline := refsOf(wt.Chat)
	for _, ref := range []string{base, baseline} {
		if err := e.MoveRef(ctx, wt.CommonDir, ref, p.Base, wt.Base); err != nil {
			return err
		}
	}
	if err := replaceFile(filepath.Join(e.chatDir(wt.Chat), "git", "HEAD"), []byte(wt.Base+"\n")); err != nil {
		return err
	}
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	if _, err := e.git.Run(ctx, r.call("read-tree", "-m", "-u", string(p.Base), string(wt.Base))); err != nil {
		return fmt.Errorf("take a spare worktree to %s: %w", wt.Base.Short(), err)
	}
	if err := e.shareIndex(wt, r); err != nil {
		return err
	}
	return replaceFile(adminOf(wt).file("HEAD"), []byte(wt.Base+"\n"))
}

// near refuses a base that is better written from nothing: far away, or with
// other rules for the files that stay.
func (e *Engine) near(ctx context.Context, wt orchestrator.Worktree, p proof) error {
	if len(wt.Sparse) > 0 {
		return fmt.Errorf("%w: it is sparse", errTouched)
	}
	changes, err := e.Diff(ctx, wt.CommonDir, p.Base, wt.Base)
	if err != nil {
		return err
	}
	if len(changes) > reach {
		return fmt.Errorf("%w: %d files differ", errTouched, len(changes))
	}
	for _, c := range changes {
		if path.Base(string(c.Path)) == ".gitattributes" || c.Old.Mode == orchestrator.ModeGitlink || c.New.Mode == orchestrator.ModeGitlink {
			return fmt.Errorf("%w: %s", errTouched, c.Path)
		}
	}
	return nil
}
