package worktree

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// writePlain writes the entries that have in the checkout just the content of
// their objects, and returns the others, which git has to write.
func (e *Engine) writePlain(ctx context.Context, c orchestrator.Checkout, dir string, list []indexed, name func(orchestrator.Path) string) (left []indexed, err error) {
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
	p := plainWriter{objects: objects, root: root, beside: newBeside(w.root, dir), name: name, made: map[string]bool{".": true}}
	defer p.beside.close()
	var files []placed
	var ids []orchestrator.ObjectID
	for _, x := range list {
		switch {
		case w.of(x.path, x.entry.Mode)&(odd|expanding) != 0 || !isBlob(x.entry.Mode):
			left = append(left, x)
		case x.entry.Mode == orchestrator.ModeSymlink:
			if err := p.link(ctx, x); err != nil {
				return nil, err
			}
		default:
			at, err := p.place(x)
			if err != nil {
				return nil, err
			}
			files, ids = append(files, placed{at, parentOf(x.path), x.entry.Mode}), append(ids, x.entry.ID)
		}
	}
	return left, objects.copy(ctx, ids, func(i int) (io.WriteCloser, error) { return p.create(files[i]) })
}

func isBlob(mode orchestrator.FileMode) bool {
	return mode == orchestrator.ModeRegular || mode == orchestrator.ModeExec || mode == orchestrator.ModeSymlink
}

// plainWriter writes files below a directory that nobody else writes in.
type plainWriter struct {
	objects *store
	root    *os.Root
	beside  *beside // nil where files can be made below root only
	name    func(orchestrator.Path) string
	made    map[string]bool // directories that are there
}

// targetLimit is more than any system takes for a symlink's target.
const targetLimit = 64 << 10

func (p *plainWriter) link(ctx context.Context, x indexed) error {
	target, err := p.objects.bytes(ctx, x.entry.ID, targetLimit)
	if err != nil {
		return err
	}
	at, err := p.place(x)
	if err != nil {
		return err
	}
	return p.root.Symlink(string(target), at)
}

// placed is a file that is to be written below the root, where a directory for it
// is; parent is the directory that it goes to.
type placed struct {
	at     string
	parent orchestrator.Path
	mode   orchestrator.FileMode
}

func (p *plainWriter) create(f placed) (io.WriteCloser, error) {
	perm := os.FileMode(0o666)
	if f.mode == orchestrator.ModeExec {
		perm = 0o777
	}
	if p.beside != nil {
		if w, err := p.beside.create(f.parent, f.at, perm); err == nil {
			return w, nil
		}
	}
	return p.root.OpenFile(f.at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// place makes the directory that a file is to be in.
func (p *plainWriter) place(x indexed) (name string, err error) {
	name = p.name(x.path)
	if above := filepath.Dir(name); !p.made[above] {
		if err := p.root.MkdirAll(above, 0o777); err != nil {
			return "", err
		}
		p.made[above] = true
	}
	return name, nil
}
