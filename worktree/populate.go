package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/worktree/internal/objects"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/populate"
	"boo/worktree/internal/treeedit"
)

// errConverts says that files are not simply what their objects hold, so that
// git has to write them.
var errConverts = errors.New("files cannot be copied as they are")

// populate writes the files of the base in process, and boo's index for them.
// Those that the person's checkout, or another chat's, is proven to have are
// copied from there, and the others come from the object store. On any error the worktree
// holds nothing but its .git file, and git can do the same, slower.
func (e *Engine) populate(ctx context.Context, wt orchestrator.Worktree, r repo) (err error) {
	carried, _, err := carriedRules(r.gitDir)
	if err != nil {
		return err
	}
	if carried&^textual != 0 {
		return errConverts
	}
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return err
	}
	reader := e.objects(r, format)
	defer func() { err = errors.Join(err, reader.Close()) }()
	base, err := reader.Commit(ctx, wt.Base)
	if err != nil {
		return err
	}
	p := &populating{ctx: ctx, reader: reader, carried: carried}
	opts := populate.Options{
		Dir: string(wt.Dir), Tree: base.Tree, Format: format, Objects: reader, Entry: p.entry,
		Templates: p.templates(e, wt, format, base.Tree),
	}
	if isIdle(ctx) {
		opts.Workers, opts.Idle = 1, true
	}
	result, err := populate.Run(ctx, opts)
	if err == nil {
		err = result.Index.WriteFile(r.index)
	}
	if err != nil {
		return errors.Join(err, emptied(wt.Dir))
	}
	return nil
}

// populating judges the attributes and names of a tree while it is written.
type populating struct {
	ctx     context.Context
	reader  *objects.Reader
	carried conversion // what the person's settings call for
}

// entry refuses what git would not write as it is.
func (p *populating) entry(_ orchestrator.Path, file treeedit.Entry) error {
	if !plainName(file.Name, file.Mode) {
		return errConverts
	}
	if file.Name != ".gitattributes" {
		return nil
	}
	content, err := p.reader.Bytes(p.ctx, file.ID, ruleLimit)
	if err != nil {
		return err
	}
	if attributes(content)&^textual != 0 {
		return errConverts
	}
	return nil
}

// objects opens a reader for the objects of a repository; the caller closes it.
func (e *Engine) objects(r repo, format objectid.Format) *objects.Reader {
	return objects.Open(objects.Options{
		CommonDir: orchestrator.GitDir(filepath.Dir(r.objects)), Format: format,
		Start: func(ctx context.Context) (objects.Process, error) {
			return e.git.Open(ctx, r.call("cat-file", "--batch-command"))
		},
	})
}

// emptied removes from a worktree all but its .git file.
func emptied(dir orchestrator.WorktreeDir) error {
	entries, err := os.ReadDir(string(dir))
	if err != nil {
		return fmt.Errorf("clear worktree %s: %w", dir, err)
	}
	for _, entry := range entries {
		if entry.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(string(dir), entry.Name())); err != nil {
			return fmt.Errorf("clear worktree %s: %w", dir, err)
		}
	}
	return nil
}
