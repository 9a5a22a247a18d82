package treeedit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// ReadTree returns the content of a tree object.
type ReadTree func(ctx context.Context, id orchestrator.ObjectID) ([]byte, error)

// Object is a new tree.
type Object struct {
	ID      orchestrator.ObjectID
	Content []byte
}

// Result is what an edit comes to.
type Result struct {
	Root  orchestrator.ObjectID
	Trees []Object // what is new on the way to Root; children before parents, each once
}

// Edit returns the tree that is root with the edits made, and the trees that
// have to be stored for it. An empty root stands for the empty tree.
//
// A zero entry removes the file at its path; a directory at that path stays. A
// file that is put replaces what is at its path, a directory as a whole too,
// and files where its directories have to be. Removals come first, so the
// order of the edits does not matter; to put a file and another below it is a
// [*PathError].
func Edit(ctx context.Context, format objectid.Format, root orchestrator.ObjectID, read ReadTree, edits map[orchestrator.Path]orchestrator.Entry) (Result, error) {
	list, err := sorted(edits, format)
	if err != nil {
		return Result{}, err
	}
	e := &editor{ctx: ctx, format: format, read: read, empty: format.EmptyTree(), seen: map[orchestrator.ObjectID]bool{}}
	if root == "" {
		root = e.empty
	}
	id, err := e.rewrite(root, list)
	if err != nil {
		return Result{}, err
	}
	if id == e.empty && root != e.empty {
		e.trees = append(e.trees, Object{ID: id})
	}
	return Result{Root: id, Trees: e.trees}, nil
}

type editor struct {
	ctx    context.Context
	format objectid.Format
	read   ReadTree
	empty  orchestrator.ObjectID
	trees  []Object
	seen   map[orchestrator.ObjectID]bool
}

// rewrite returns the tree that is id with the edits made.
func (e *editor) rewrite(id orchestrator.ObjectID, edits []edit) (orchestrator.ObjectID, error) {
	old, err := e.open(id)
	if err != nil {
		return "", err
	}
	entries := make(map[string]Entry) // those that edits name; the zero Entry for a name that goes
	for len(edits) > 0 {
		name, _, _ := strings.Cut(edits[0].rest, "/")
		n := 1
		for n < len(edits) && strings.HasPrefix(edits[n].rest, name) && (len(edits[n].rest) == len(name) || edits[n].rest[len(name)] == '/') {
			n++
		}
		before := find(old, name)
		after, err := e.name(name, before, edits[:n])
		if err != nil {
			return "", err
		}
		if after != before {
			entries[name] = after
		}
		edits = edits[n:]
	}
	if len(entries) == 0 {
		return id, nil
	}
	return e.store(id, replace(old, entries))
}

// name makes the edits of one name of a tree: at most one of the name itself,
// which comes first, and those below it.
func (e *editor) name(name string, before Entry, edits []edit) (Entry, error) {
	after := before
	if edits[0].rest == name {
		direct := edits[0]
		edits = edits[1:]
		if direct.entry.Exists() {
			if i := slices.IndexFunc(edits, func(below edit) bool { return below.entry.Exists() }); i >= 0 {
				return Entry{}, &PathError{Path: edits[i].path, Reason: "is below " + direct.path.String() + ", which is a file"}
			}
			return Entry{Name: name, Mode: direct.entry.Mode, ID: direct.entry.ID}, nil
		}
		if !before.IsTree() {
			after = Entry{}
		}
	}
	if !after.IsTree() {
		edits = slices.DeleteFunc(slices.Clone(edits), func(below edit) bool { return !below.entry.Exists() })
	}
	if len(edits) == 0 {
		return after, nil
	}
	from := e.empty
	if after.IsTree() {
		from = after.ID
	}
	below := slices.Clone(edits)
	for i := range below {
		below[i].rest = below[i].rest[len(name)+1:]
	}
	id, err := e.rewrite(from, below)
	if err != nil || id == e.empty {
		return Entry{}, err
	}
	return Entry{Name: name, Mode: ModeTree, ID: id}, nil
}

func (e *editor) open(id orchestrator.ObjectID) ([]Entry, error) {
	if id == e.empty {
		return nil, nil
	}
	content, err := e.read(e.ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	entries, err := Parse(content, e.format)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	return entries, nil
}

// find returns the entry of that name, or the zero Entry.
func find(entries []Entry, name string) Entry {
	for _, mode := range []orchestrator.FileMode{orchestrator.ModeRegular, ModeTree} {
		if i, found := slices.BinarySearchFunc(entries, Entry{Name: name, Mode: mode}, compareNames); found {
			return entries[i]
		}
	}
	return Entry{}
}

// replace returns old with the entries of some names exchanged.
func replace(old []Entry, changed map[string]Entry) []Entry {
	var put []Entry
	for _, e := range changed {
		if e.Mode != orchestrator.ModeNone {
			put = append(put, e)
		}
	}
	slices.SortFunc(put, compareNames)
	entries := make([]Entry, 0, len(old)+len(put))
	for _, e := range old {
		if _, other := changed[e.Name]; other {
			continue
		}
		for len(put) > 0 && compareNames(put[0], e) < 0 {
			entries = append(entries, put[0])
			put = put[1:]
		}
		entries = append(entries, e)
	}
	return append(entries, put...)
}

// store notes a tree that takes the place of the tree old, unless it is the
// same, was noted already, or is empty: an empty directory is in no tree.
func (e *editor) store(old orchestrator.ObjectID, entries []Entry) (orchestrator.ObjectID, error) {
	content, err := encode(entries, e.format)
	if err != nil {
		return "", err
	}
	id := e.format.Of(objectid.Tree, content)
	if id != old && id != e.empty && !e.seen[id] {
		e.seen[id] = true
		e.trees = append(e.trees, Object{ID: id, Content: content})
	}
	return id, nil
}
