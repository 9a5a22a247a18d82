package dircache

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// Index is an index in memory.
type Index struct {
	format    objectid.Format
	version   uint32
	entries   []Entry
	asOf      time.Time
	trees     *node // nil when not known
	emptyBlob orchestrator.ObjectID
}

// New returns an index without entries, true as of the given moment.
func New(format objectid.Format, asOf time.Time) *Index {
	return &Index{format: format, version: 2, asOf: asOf, emptyBlob: format.EmptyBlob()}
}

// Format returns the object format of the ids.
func (x *Index) Format() objectid.Format { return x.format }

// Version returns the version of the file that the index was read from, and 2
// for a new one.
func (x *Index) Version() uint32 { return x.version }

// Entries returns the entries in the order of the index. They are the index's
// own: they may be read until the next edit, and are changed by edits only.
func (x *Index) Entries() []Entry { return x.entries }

// AsOf returns the moment as of which the index is true: an entry whose file
// was modified then or later is racy.
func (x *Index) AsOf() time.Time { return x.asOf }

// Advance moves the moment as of which the index is true to asOf, which lies
// before the first lstat of the entries put in since it was read. An older
// entry that was racy and would cease to look so gets git's mark for "compare
// the content".
func (x *Index) Advance(asOf time.Time) {
	for i := range x.entries {
		if e := &x.entries[i]; !e.seen && x.Racy(e) {
			e.Stat.Size = 0
		}
	}
	x.asOf = asOf
}

// Refresh gives the entry of path at stage 0 the stat data of a file that was
// found, by content, to be as the entry says.
func (x *Index) Refresh(path orchestrator.Path, stat Stat) {
	if e := x.Lookup(path); e != nil {
		e.Stat, e.seen = stat, true
	}
}

// search returns the place of the first entry that is not before (path, stage).
func (x *Index) search(path string, stage uint8) int {
	return sort.Search(len(x.entries), func(i int) bool {
		c := strings.Compare(string(x.entries[i].Path), path)
		return c > 0 || c == 0 && x.entries[i].Stage >= stage
	})
}

// Lookup returns the entry of path at stage 0, or nil.
func (x *Index) Lookup(path orchestrator.Path) *Entry {
	i := x.search(string(path), 0)
	if i < len(x.entries) && x.entries[i].Path == path && x.entries[i].Stage == 0 {
		return &x.entries[i]
	}
	return nil
}

// Under returns the entries below the directory dir; "" is the top.
func (x *Index) Under(dir orchestrator.Path) []Entry {
	from, to := x.under(dir)
	return x.entries[from:to]
}

func (x *Index) under(dir orchestrator.Path) (from, to int) {
	if dir == "" {
		return 0, len(x.entries)
	}
	// "0" is the byte after "/".
	return x.search(string(dir)+"/", 0), x.search(string(dir)+"0", 0)
}

// Edit removes paths, at all stages, and then puts entries in, replacing what
// is at their paths, at all stages; an entry also replaces the entries below
// its path and those that stand where its directories have to be. The cost is
// one pass over the index. On error nothing has changed.
func (x *Index) Edit(put []Entry, remove []orchestrator.Path) error {
	put = slices.Clone(put)
	slices.SortFunc(put, func(a, b Entry) int { return compareEntries(&a, &b) })
	if err := x.checkPut(put); err != nil {
		return err
	}
	drop := make(map[int]struct{}, len(put)+len(remove))
	dropRange := func(from, to int) {
		for i := from; i < to; i++ {
			drop[i] = struct{}{}
		}
	}
	for _, path := range remove {
		dropRange(x.at(path))
	}
	for i := range put {
		put[i].seen = true
		dropRange(x.at(put[i].Path))
		dropRange(x.under(put[i].Path))
		for dir := parent(put[i].Path); dir != ""; dir = parent(dir) {
			dropRange(x.at(dir))
		}
	}
	for i := range drop {
		x.trees.invalidate(x.entries[i].Path)
	}
	for i := range put {
		x.trees.invalidate(put[i].Path)
	}
	x.entries = merge(x.entries, drop, put)
	return nil
}

// at returns the range of the entries whose path is exactly path.
func (x *Index) at(path orchestrator.Path) (from, to int) {
	from = x.search(string(path), 0)
	to = from
	for to < len(x.entries) && x.entries[to].Path == path {
		to++
	}
	return from, to
}

func merge(old []Entry, drop map[int]struct{}, put []Entry) []Entry {
	merged := make([]Entry, 0, len(old)-len(drop)+len(put))
	for i := range old {
		if _, gone := drop[i]; gone {
			continue
		}
		for len(put) > 0 && compareEntries(&put[0], &old[i]) < 0 {
			merged = append(merged, put[0])
			put = put[1:]
		}
		merged = append(merged, old[i])
	}
	return append(merged, put...)
}

// checkPut checks entries that are to stand in one index together.
func (x *Index) checkPut(put []Entry) error {
	files := make(map[orchestrator.Path]struct{}, len(put))
	for i := range put {
		e := &put[i]
		switch {
		case !validPath(string(e.Path)):
			return fmt.Errorf("index entry %q: not a path in a tree", e.Path)
		case !validMode(e.Mode):
			return fmt.Errorf("index entry %s: mode %o is not one of an index", e.Path, e.Mode)
		case len(e.ID) != 2*x.format.Size():
			return fmt.Errorf("index entry %s: object id %q is of another format", e.Path, e.ID)
		case e.Stage > 3:
			return fmt.Errorf("index entry %s: stage %d", e.Path, e.Stage)
		case i > 0 && compareEntries(&put[i-1], e) == 0:
			return fmt.Errorf("index entry %s: put twice", e.Path)
		}
		files[e.Path] = struct{}{}
	}
	for _, e := range put {
		for dir := parent(e.Path); dir != ""; dir = parent(dir) {
			if _, file := files[dir]; file {
				return fmt.Errorf("index entries %s and %s: one is below the other", dir, e.Path)
			}
		}
	}
	return nil
}

// parent returns the directory of p, "" at the top.
func parent(p orchestrator.Path) orchestrator.Path {
	i := strings.LastIndexByte(string(p), '/')
	if i < 0 {
		return ""
	}
	return p[:i]
}
