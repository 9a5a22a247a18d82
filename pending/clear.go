package pending

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// apart begins the names of stages that nobody needs any more. Whoever applied
// does not wait until they are gone: to free a file may take a disk as long as to
// write one.
const apart = "done-"

// letGo removes the stage of a record that is settled. One with many files it sets
// apart for [Engine.Clear], if it lies where nobody comes across it.
func letGo(a orchestrator.Apply) error {
	h, err := homeOf(a)
	if err != nil {
		return err
	}
	if len(a.Steps) <= few || h.sub == nil {
		return h.remove(h.name(a.ID))
	}
	d, err := h.open(false)
	if err != nil {
		return err
	}
	defer d.close()
	return d.rename(h.name(a.ID), d, h.apart(a.ID))
}

// apart is what the stage of a record is called once it is set apart.
func (h stageHome) apart(id orchestrator.ApplyID) string { return h.prefix + apart + string(id) }

// isApart reports whether the stage of a record is set apart.
func isApart(a orchestrator.Apply) bool {
	h, err := homeOf(a)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(h.root, h.below(h.apart(a.ID))))
	return err == nil
}

// cleared notes that nothing is left of a settled record, unless its stage is set
// apart. What cannot be noted now, the next one notes.
func (e *Engine) cleared(ctx context.Context, a orchestrator.Apply) {
	if !isApart(a) {
		_ = e.store.ClearApply(ctx, a.ID)
	}
}

// Clear implements [orchestrator.Pending]. Nothing of it is in anybody's way:
// several may be at it at once, and beside an apply.
func (e *Engine) Clear(ctx context.Context) error {
	records, err := e.store.Uncleared(ctx, "")
	if err != nil {
		return fmt.Errorf("list applies: %w", err)
	}
	var errs []error
	for _, a := range records {
		if a.State == orchestrator.ApplyPrepared || !isApart(a) {
			continue
		}
		if err := clearApart(ctx, a); err != nil {
			errs = append(errs, err)
			continue
		}
		e.cleared(ctx, a)
	}
	return errors.Join(errs...)
}

// clearApart removes a stage that is set apart, file by file, until ctx ends.
func clearApart(ctx context.Context, a orchestrator.Apply) error {
	h, err := homeOf(a)
	if err != nil {
		return err
	}
	for _, part := range []string{"old", "new"} {
		if err := h.empty(ctx, h.apart(a.ID), part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return h.remove(h.apart(a.ID))
}

// empty removes the files in a directory of a stage; other directories stay.
func (h stageHome) empty(ctx context.Context, name, part string) error {
	home, err := h.open(false)
	if err != nil {
		return err
	}
	defer home.close()
	at, err := home.child(name)
	if err != nil {
		return err
	}
	defer at.close()
	d, err := at.child(part)
	if err != nil {
		return err
	}
	defer d.close()
	names, err := d.names()
	for _, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = d.remove(name) // a directory goes with the stage
	}
	return err
}
