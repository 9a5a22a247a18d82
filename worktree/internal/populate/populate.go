package populate

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/idle"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
	"boo/worktree/internal/treeedit"
)

// Objects is where trees and blobs come from. Its methods are called
// concurrently.
type Objects interface {
	Tree(ctx context.Context, id orchestrator.ObjectID) ([]byte, error)
	Blob(ctx context.Context, id orchestrator.ObjectID, w io.Writer) error
}

// Template is a work tree that files may be copied from. It is only read, and
// may be in use.
type Template struct {
	Dir   string
	Index *dircache.Index
	// Textual says that files may differ from their objects in line ends.
	// Those that hold a carriage return are then left to the object store, and
	// none shares its blocks.
	Textual bool
}

// Options say what to write, and where.
type Options struct {
	Dir       string // exists; empty but for a .git
	Tree      orchestrator.ObjectID
	Format    objectid.Format
	Objects   Objects
	Templates []*Template // the best first; what none of them has comes from Objects
	Workers   int         // 0 means 2
	Idle      bool        // whether the workers let everything else on the machine go first
	// Entry, if not nil, is told of every file before it is written, by one
	// goroutine, a directory's files before those below it. An error ends the
	// run.
	Entry func(dir orchestrator.Path, file treeedit.Entry) error
}

// Result is what was written.
type Result struct {
	Index      *dircache.Index     // to be written as the directory's index
	Shared     int                 // files that share a template's blocks
	Copied     int                 // files copied from a template
	Extracted  int                 // files and symlinks from the object store
	Submodules []orchestrator.Path // left empty
}

// margin is how far before the run the newest modification times lie: git may
// compare whole seconds.
const margin = 2 * time.Second

// run is one call of Run.
type run struct {
	opts   Options
	to     *safeopen.Root
	from   []source
	newest time.Time // no file gets a later modification time

	mu     sync.Mutex
	result Result
}

// source is a template that is open.
type source struct {
	*Template
	root  *safeopen.Root
	clone *cloning
}

// Run writes the tree. It returns when nothing is being written any more.
func Run(ctx context.Context, opts Options) (Result, error) {
	if opts.Workers == 0 {
		opts.Workers = 2
	}
	asOf := time.Now()
	r := &run{opts: opts, newest: asOf.Add(-margin)}
	var err error
	if r.to, err = safeopen.OpenRoot(opts.Dir); err != nil {
		return Result{}, fmt.Errorf("populate: %w", err)
	}
	defer r.to.Close()
	for _, t := range opts.Templates {
		root, err := safeopen.OpenRoot(t.Dir)
		if err != nil {
			continue // it is gone: the others have its files
		}
		defer root.Close()
		r.from = append(r.from, source{t, root, &cloning{}})
	}
	entries, trees, err := r.all(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("populate %s: %w", opts.Dir, err)
	}
	r.result.Index = dircache.New(opts.Format, asOf)
	if err := r.result.Index.Edit(entries, nil); err != nil {
		return Result{}, fmt.Errorf("populate %s: %w", opts.Dir, err)
	}
	r.result.Index.SetTrees(trees)
	return r.result, nil
}

// all runs the walker and the workers, and waits for them.
func (r *run) all(ctx context.Context) ([]dircache.Entry, map[orchestrator.Path]orchestrator.ObjectID, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan job, 4*r.opts.Workers)
	written := make([][]dircache.Entry, r.opts.Workers)
	var wg sync.WaitGroup
	for i := range written {
		wg.Go(func() {
			if r.opts.Idle {
				idle.Thread()
			}
			var err error
			if written[i], err = r.work(ctx, jobs); err != nil {
				cancel(err)
			}
		})
	}
	w := &walker{run: r, jobs: jobs, trees: map[orchestrator.Path]orchestrator.ObjectID{}}
	if err := w.walk(ctx); err != nil {
		cancel(err)
	}
	close(jobs)
	wg.Wait()
	var entries []dircache.Entry
	for _, some := range written {
		entries = append(entries, some...)
	}
	return entries, w.trees, context.Cause(ctx)
}
