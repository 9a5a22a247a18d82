package populate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/treeedit"

	"golang.org/x/sys/unix"
)

// ErrName says that a tree has a name that must not be written to disk.
var ErrName = errors.New("name is reserved by git")

// job is some files of one directory, which exists.
type job struct {
	dir   orchestrator.Path
	files []treeedit.Entry // no directories
}

// jobSize bounds the files of a job, so that the workers share large
// directories.
const jobSize = 256

// walker reads trees, makes their directories and hands out their files.
type walker struct {
	run   *run
	jobs  chan<- job
	trees map[orchestrator.Path]orchestrator.ObjectID
}

// maxDepth bounds how deep a hostile tree can lead.
const maxDepth = 2048

// subtree is a directory that is still to be walked.
type subtree struct {
	path  orchestrator.Path
	id    orchestrator.ObjectID
	depth int
}

func (w *walker) walk(ctx context.Context) error {
	for todo := []subtree{{id: w.run.opts.Tree}}; len(todo) > 0; {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		below, err := w.directory(ctx, next)
		if err != nil {
			return err
		}
		todo = append(todo, below...)
	}
	return nil
}

// directory makes the directories of one tree, hands out its files, and returns
// its subtrees.
func (w *walker) directory(ctx context.Context, at subtree) ([]subtree, error) {
	if at.depth > maxDepth {
		return nil, fmt.Errorf("directory %.40s…: too deep", at.path)
	}
	w.trees[at.path] = at.id
	content, err := w.run.opts.Objects.Tree(ctx, at.id)
	if err != nil {
		return nil, fmt.Errorf("read tree of %s: %w", at.path, err)
	}
	entries, err := treeedit.Parse(content, w.run.opts.Format)
	if err != nil {
		return nil, fmt.Errorf("read tree of %s: %w", at.path, err)
	}
	var below []subtree
	files := entries[:0]
	for _, e := range entries {
		if strings.EqualFold(e.Name, ".git") {
			return nil, fmt.Errorf("%s: %w", join(at.path, e.Name), ErrName)
		}
		if e.IsTree() {
			below = append(below, subtree{path: join(at.path, e.Name), id: e.ID, depth: at.depth + 1})
			continue
		}
		if w.run.opts.Entry != nil {
			if err := w.run.opts.Entry(at.path, e); err != nil {
				return nil, fmt.Errorf("%s: %w", join(at.path, e.Name), err)
			}
		}
		files = append(files, e)
	}
	if err := w.mkdirs(at.path, below); err != nil {
		return nil, err
	}
	return below, w.send(ctx, at.path, files)
}

// mkdirs makes directories that are all in dir.
func (w *walker) mkdirs(dir orchestrator.Path, below []subtree) error {
	if len(below) == 0 {
		return nil
	}
	fd, err := w.run.to.OpenDir(dir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, sub := range below {
		name := string(sub.path[strings.LastIndexByte(string(sub.path), '/')+1:])
		if err := unix.Mkdirat(fd, name, 0o777); err != nil {
			return fmt.Errorf("make directory %s: %w", sub.path, err)
		}
	}
	return nil
}

func (w *walker) send(ctx context.Context, dir orchestrator.Path, files []treeedit.Entry) error {
	for len(files) > 0 {
		n := min(jobSize, len(files))
		select {
		case w.jobs <- job{dir: dir, files: files[:n]}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		files = files[n:]
	}
	return nil
}

func join(dir orchestrator.Path, name string) orchestrator.Path {
	if dir == "" {
		return orchestrator.Path(name)
	}
	return dir + "/" + orchestrator.Path(name)
}
