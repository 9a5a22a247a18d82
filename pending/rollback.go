package pending

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"boo/orchestrator"
)

// rollBack takes a prepared record back, from whatever step it was cut off at,
// and settles it as rolled back. It works from the record and the stage alone
// and may itself be cut off and run again. kept lists files that somebody
// changed after boo had written them: they are left as they are, and what they
// were before stays under the record's ref.
func (e *Engine) rollBack(ctx context.Context, a orchestrator.Apply) (kept []orchestrator.PathConflict, err error) {
	kept, err = e.takeBack(ctx, a)
	if err != nil {
		return nil, err
	}
	return kept, e.closeBack(ctx, a, kept)
}

// closeBack settles the record of an apply whose files are back.
func (e *Engine) closeBack(ctx context.Context, a orchestrator.Apply, kept []orchestrator.PathConflict) error {
	e.mark("restored")
	if err := e.unhold(ctx, a, len(kept) > 0); err != nil {
		return err
	}
	e.mark("rolled back")
	if err := e.store.MoveApply(ctx, a.ID, orchestrator.ApplyPrepared, orchestrator.ApplyRolledBack); err != nil {
		return fmt.Errorf("record that the apply was taken back: %w", err)
	}
	e.mark("clear")
	if removeStage(a) == nil { // else what is left of it goes with the next apply
		_ = e.store.ClearApply(ctx, a.ID)
	}
	return nil
}

// restoreFiles is the part of rollBack that touches the checkout.
func (e *Engine) restoreFiles(a orchestrator.Apply) ([]orchestrator.PathConflict, error) {
	t, err := openTree(string(a.Checkout))
	if err != nil {
		return nil, err
	}
	defer t.close()
	s, err := stageOf(a)
	if errors.Is(err, fs.ErrNotExist) {
		return unlike(t, a)
	}
	if err != nil {
		return nil, err
	}
	defer s.close()
	var kept []orchestrator.PathConflict
	var paths []orchestrator.Path
	for i, st := range slices.Backward(a.Steps) {
		if st.Before == st.After {
			continue
		}
		e.mark("restore")
		paths = append(paths, st.Path)
		ok, err := restorer{t, s, slot(i), st}.restore()
		if err != nil {
			return nil, fmt.Errorf("put %s back: %w", st.Path, err)
		}
		if !ok {
			kept = append(kept, left(a, st, "you changed it while boo wrote, and it is left so"))
		}
	}
	b := barrier{top: t.top}
	if err := b.addParents(t, paths); err != nil {
		return kept, err
	}
	return kept, b.wait()
}

// left says of a path that it could not be put back, and where its bytes are.
func left(a orchestrator.Apply, st orchestrator.ApplyStep, why string) orchestrator.PathConflict {
	if st.Before.Exists() {
		why += "; as it was before: git show " + applyRef(a.ID) + "^2:before/" + st.Path.String()
	}
	return orchestrator.PathConflict{Path: st.Path, Reason: why}
}

// unlike lists the paths that are not as they were before, when the stage that
// held their files was removed by another hand.
func unlike(t *tree, a orchestrator.Apply) ([]orchestrator.PathConflict, error) {
	var kept []orchestrator.PathConflict
	for _, st := range a.Steps {
		if st.Before == st.After {
			continue
		}
		at, err := t.look(st.Path)
		if err != nil {
			return nil, err
		}
		var raw orchestrator.ObjectID
		if at.kind == file || at.kind == link {
			if raw, err = t.raw(st.Path, max(len(st.BeforeRaw), len(st.AfterRaw))); err != nil {
				return nil, err
			}
		}
		if raw != st.BeforeRaw {
			kept = append(kept, left(a, st, "the files that boo had set aside are gone, and it is left as it is"))
		}
	}
	return kept, nil
}

// restorer puts one path back.
type restorer struct {
	tree  *tree
	stage *stage
	slot  string
	step  orchestrator.ApplyStep
}

// restore reports false if the path holds something that is not boo's.
func (r restorer) restore() (ok bool, err error) {
	old, err := r.stage.old.look(r.slot)
	if err != nil {
		return false, err
	}
	if ok, err := r.withdraw(); err != nil || !ok {
		return ok, err
	}
	if r.step.After.Exists() {
		// Nothing else that was placed is in them any more: this step is the
		// first that needed them, and the steps go back in reverse.
		removeEmpty(r.tree, r.step.Dirs)
	}
	if old.kind == nothing {
		return true, nil
	}
	d, name, err := r.tree.makeParent(r.step.Path)
	if isNoDir(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	here, err := d.look(name)
	if err != nil {
		return false, err
	}
	if here.kind != nothing {
		if !here.sameInode(old) {
			return false, nil
		}
		return true, r.stage.old.remove(r.slot) // it was cut off right here
	}
	if old.kind == directory {
		r.tree.forget()
		return true, r.stage.old.rename(r.slot, d, name)
	}
	return r.giveBack(d, name)
}

// giveBack links the file that made way to its place, so that nothing that
// comes to be there in the same moment is replaced. Where the system forbids
// to link a file of somebody else's, it is moved.
func (r restorer) giveBack(d dir, name string) (bool, error) {
	err := r.stage.old.link(r.slot, d, name)
	switch {
	case err == nil:
		return true, r.stage.old.remove(r.slot)
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return true, r.stage.old.rename(r.slot, d, name)
}

// withdraw removes the file that boo placed: the one that still shares its
// inode with the staged one, as long as its content is the staged one too. It
// reports false if that file was edited.
func (r restorer) withdraw() (ok bool, err error) {
	d, name, err := r.tree.parent(r.step.Path)
	if isNoDir(err) || !r.step.After.Exists() {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	here, err := d.look(name)
	if err != nil {
		return false, err
	}
	staged, err := r.stage.new.look(r.slot)
	if err != nil {
		return false, err
	}
	gone := r.slot + "-new"
	if here.kind != nothing && here.sameInode(staged) {
		if err := d.rename(name, r.stage.old, gone); err != nil {
			return false, err
		}
	}
	if at, err := r.stage.old.look(gone); err != nil || at.kind == nothing {
		return true, err // what is there is not boo's
	}
	raw, err := r.stage.old.raw(gone, len(r.step.AfterRaw))
	if err == nil && raw == r.step.AfterRaw {
		return true, nil
	}
	if back := r.stage.old.link(gone, d, name); !errors.Is(back, fs.ErrExist) {
		err = errors.Join(err, back)
	}
	return false, err
}

// removeEmpty removes directories that are empty, the innermost first.
func removeEmpty(t *tree, dirs []orchestrator.Path) {
	for _, p := range slices.Backward(dirs) {
		t.forget()
		if d, name, err := t.parent(p); err == nil {
			_ = d.rmdir(name) // not empty, or gone: then it stays as it is
		}
	}
}
