package worktree

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"boo/orchestrator"
)

// Materialize writes entries below dir, which is there and is the caller's, each
// called by what name says of its path, in the form that they have in the checkout: end of line and encoding by the
// checkout's rules, of filters only Git LFS. Zero entries are passed over; of a gitlink
// there is an empty directory. Nothing is synced.
// CodeInvalid for a name that git does not check out.
func (e *Engine) Materialize(ctx context.Context, c orchestrator.Checkout, dir string, entries map[orchestrator.Path]orchestrator.Entry, name func(orchestrator.Path) string) error {
	list := make([]indexed, 0, len(entries))
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		if _, err := orchestrator.ParsePath(string(path)); err != nil {
			return err
		}
		if entries[path].Exists() {
			list = append(list, indexed{path, entries[path]})
		}
	}
	if len(list) == 0 {
		return nil
	}
	list, err := e.writePlain(ctx, c, dir, list, name)
	if err != nil {
		return coded(err, "write files for %s", c.Dir)
	}
	if len(list) == 0 {
		return nil
	}
	return e.writeConverted(ctx, c, dir, list, name)
}

// writeConverted has git write files, by their paths, and then renames them.
func (e *Engine) writeConverted(ctx context.Context, c orchestrator.Checkout, dir string, list []indexed, name func(orchestrator.Path) string) (err error) {
	paths, err := os.MkdirTemp(dir, "paths-")
	if err != nil {
		return coded(err, "write files for %s", c.Dir)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(paths)) }()
	if err := e.checkOut(ctx, c, paths, list); err != nil {
		return coded(noteFull(err, dir), "write files for %s", c.Dir)
	}
	if err := e.fillPaths(ctx, c, paths, list); err != nil {
		return coded(noteFull(err, dir), "write files for %s", c.Dir)
	}
	for _, x := range list {
		if _, err := lstatBelow(paths, string(x.path)); err != nil {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "git does not check out %s", x.path)
		}
		to := filepath.Join(dir, name(x.path))
		err := os.MkdirAll(filepath.Dir(to), 0o777)
		if err == nil {
			err = os.Rename(filepath.Join(paths, string(x.path)), to)
		}
		if err != nil {
			return coded(err, "write files for %s", c.Dir)
		}
	}
	return nil
}

func (e *Engine) checkOut(ctx context.Context, c orchestrator.Checkout, dir string, list []indexed) error {
	r, err := e.checkout(ctx, c)
	if err != nil {
		return err
	}
	temp, remove, err := e.tempDir("materialize")
	if err != nil {
		return err
	}
	defer remove()
	r = r.with(filepath.Join(temp, "index"))
	if _, err := e.setLinks(ctx, r, list[0].entry.ID, list); err != nil {
		return err
	}
	_, err = e.git.Run(ctx, r.call("checkout-index", "--all", "--force", "--prefix="+filepath.Clean(dir)+"/"))
	return err
}
