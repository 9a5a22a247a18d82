package treescan

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/safeopen"
)

// ErrUnusual says that the tree holds what this package does not judge.
var ErrUnusual = errors.New("the tree holds something out of the ordinary")

// Options say what to compare.
type Options struct {
	Root  *safeopen.Root
	Index *dircache.Index
	Times bool // tell the newest time, too
	// Soft has the second goroutine join later: nobody waits for the result, and
	// others want the processors.
	Soft bool
}

// Result is how a tree differs from an index, as far as stat data tell.
type Result struct {
	Suspects []orchestrator.Path // tracked, and there, and maybe changed
	Gone     []orchestrator.Path // tracked, and not there
	Files    []orchestrator.Path // files and symlinks that are not tracked
	Dirs     []orchestrator.Path // directories without a tracked file below
	Linked   bool                // a tracked file has other names, by hard links
	Newest   time.Time           // on what was visited, tracked or not, but not on Dirs
}

// workers is how many goroutines list directories: the kernel's locks make
// more of them no faster.
const workers = 2

// alone is how many names one goroutine looks at before the other joins a soft
// scan: some milliseconds, in which a command can end that heard of its turn's.
const alone = 4096

// Run compares the whole tree. The index is only read.
func Run(ctx context.Context, opts Options) (Result, error) {
	t := &todo{dirs: []dir{{to: len(opts.Index.Entries())}}}
	t.ready.L = &t.mu
	if !opts.Soft {
		t.looked = alone
	}
	found := make([]Result, workers)
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() {
			w := worker{opts: opts, found: &found[i], buf: make([]byte, 32<<10)}
			for {
				next, more := t.next(i)
				if !more {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = w.visit(next)
				}
				t.finish(w.below, len(w.names), err)
				w.below = w.below[:0]
			}
		})
	}
	wg.Wait()
	var all Result
	for _, some := range found {
		all.Suspects = append(all.Suspects, some.Suspects...)
		all.Gone = append(all.Gone, some.Gone...)
		all.Files = append(all.Files, some.Files...)
		all.Dirs = append(all.Dirs, some.Dirs...)
		all.Linked = all.Linked || some.Linked
		if some.Newest.After(all.Newest) {
			all.Newest = some.Newest
		}
	}
	for _, list := range [][]orchestrator.Path{all.Suspects, all.Gone, all.Files, all.Dirs} {
		slices.Sort(list)
	}
	return all, t.err
}

// List returns what is in a directory that holds no tracked file.
func List(opts Options, path orchestrator.Path) (Result, error) {
	found := Result{}
	w := worker{opts: opts, found: &found, buf: make([]byte, 32<<10)}
	err := w.visit(dir{path: string(path)})
	return found, err
}

// dir is a directory to visit, with the range of the index that lies below it.
type dir struct {
	path     string
	from, to int
}

// todo is the work that the workers share.
type todo struct {
	mu     sync.Mutex
	ready  sync.Cond
	dirs   []dir
	busy   int
	looked int // at names
	err    error
}

// next waits for a directory; more is false when all is done, or failed.
func (t *todo) next(worker int) (d dir, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.err == nil && (len(t.dirs) == 0 && t.busy > 0 || worker > 0 && t.looked < alone && len(t.dirs)+t.busy > 0) {
		t.ready.Wait()
	}
	if len(t.dirs) == 0 || t.err != nil {
		return dir{}, false
	}
	t.busy++
	d = t.dirs[len(t.dirs)-1]
	t.dirs = t.dirs[:len(t.dirs)-1]
	return d, true
}

func (t *todo) finish(below []dir, looked int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	t.looked += looked
	t.dirs = append(t.dirs, below...)
	if t.err == nil {
		t.err = err
	}
	t.ready.Broadcast()
}
