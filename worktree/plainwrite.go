package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// writePlain writes the entries that have in the checkout just the content of
// their objects, and returns the others, which git has to write.
func (e *Engine) writePlain(ctx context.Context, c orchestrator.Checkout, dir string, list []indexed) (left []indexed, err error) {
	w, err := e.waysOf(ctx, c)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	objects, done, err := e.objectsFor(ctx, c.CommonDir, list[0].entry.ID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := plainWriter{objects: objects, root: root, made: map[string]bool{".": true}}
	for _, x := range list {
		if w.of(x.path, x.entry.Mode)&(odd|expanding) != 0 || !isBlob(x.entry.Mode) {
			left = append(left, x)
		} else if err := p.write(ctx, x); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func isBlob(mode orchestrator.FileMode) bool {
	return mode == orchestrator.ModeRegular || mode == orchestrator.ModeExec || mode == orchestrator.ModeSymlink
}

// plainWriter writes files below a directory that nobody else writes in.
type plainWriter struct {
	objects *store
	root    *os.Root
	made    map[string]bool // directories that are there
}

// targetLimit is more than any system takes for a symlink's target.
const targetLimit = 64 << 10

func (p *plainWriter) write(ctx context.Context, x indexed) error {
	name := string(x.path)
	if above := filepath.Dir(name); !p.made[above] {
		if err := p.root.MkdirAll(above, 0o777); err != nil {
			return err
		}
		p.made[above] = true
	}
	if x.entry.Mode == orchestrator.ModeSymlink {
		target, err := p.objects.bytes(ctx, x.entry.ID, targetLimit)
		if err != nil {
			return err
		}
		return p.root.Symlink(string(target), name)
	}
	perm := os.FileMode(0o666)
	if x.entry.Mode == orchestrator.ModeExec {
		perm = 0o777
	}
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	return errors.Join(p.objects.blob(ctx, x.entry.ID, f), f.Close())
}
