package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/treeedit"
)

const modeTree orchestrator.FileMode = 0o040000

// Overlay returns the tree that is tree with the entries put in place; a zero
// Entry removes the file at its path, and leaves a directory alone: the files
// in it have paths of their own. Directories that become empty go. Only the
// trees on the way to the paths are read and written. An empty tree id stands
// for the empty tree. CodeConflict when a path would be both a file and a
// directory.
func (e *Engine) Overlay(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, entries map[orchestrator.Path]orchestrator.Entry) (id orchestrator.ObjectID, err error) {
	like := tree
	plan := newTreePlan()
	for path, entry := range entries {
		if _, err := orchestrator.ParsePath(string(path)); err != nil {
			return "", err
		}
		plan.add(strings.Split(string(path), "/"), entry)
		like = max(like, entry.ID)
	}
	if like == "" { // nothing that is there tells the object format
		if like, err = e.anyID(ctx, common); err != nil {
			return "", coded(err, "overlay a tree")
		}
	}
	objects, done, err := e.objectsFor(ctx, common, like)
	if err != nil {
		return "", coded(err, "overlay a tree")
	}
	defer func() { err = errors.Join(err, coded(done(), "overlay a tree")) }()
	o := overlay{ctx: ctx, objects: objects}
	names, err := o.load(tree)
	if err != nil {
		return "", coded(err, "overlay tree %s", tree.Short())
	}
	if err := o.apply(names, plan, ""); err != nil {
		return "", coded(err, "overlay tree %s", tree.Short())
	}
	id, err = o.store(names)
	return id, coded(err, "overlay tree %s", tree.Short())
}

// treePlan is what is to happen to the names of one tree.
type treePlan struct {
	files map[string]orchestrator.Entry
	dirs  map[string]*treePlan
}

func newTreePlan() *treePlan {
	return &treePlan{files: map[string]orchestrator.Entry{}, dirs: map[string]*treePlan{}}
}

func (p *treePlan) add(parts []string, entry orchestrator.Entry) {
	if len(parts) == 1 {
		p.files[parts[0]] = entry
		return
	}
	sub := p.dirs[parts[0]]
	if sub == nil {
		sub = newTreePlan()
		p.dirs[parts[0]] = sub
	}
	sub.add(parts[1:], entry)
}

// overlay rewrites trees.
type overlay struct {
	ctx     context.Context
	objects *store
}

// apply changes the names of the tree at path.
func (o *overlay) apply(names map[string]orchestrator.Entry, plan *treePlan, path orchestrator.Path) error {
	for name, entry := range plan.files {
		switch {
		case entry.Exists():
			if now := names[name]; now.Mode == modeTree && plan.dirs[name] == nil {
				return bothFileAndDir(join(path, name))
			}
		case names[name].Mode != modeTree:
			delete(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(plan.dirs)) {
		if err := o.descend(names, plan.dirs[name], path, name); err != nil {
			return err
		}
	}
	for name, entry := range plan.files {
		if !entry.Exists() {
			continue
		}
		if names[name].Mode == modeTree {
			return bothFileAndDir(join(path, name))
		}
		names[name] = entry
	}
	return nil
}

// descend rewrites one directory. A file in its place gives way only to a
// directory with something in it.
func (o *overlay) descend(names map[string]orchestrator.Entry, plan *treePlan, path orchestrator.Path, name string) error {
	now := names[name]
	below := map[string]orchestrator.Entry{}
	if now.Mode == modeTree {
		var err error
		if below, err = o.load(now.ID); err != nil {
			return err
		}
	}
	if err := o.apply(below, plan, join(path, name)); err != nil {
		return err
	}
	switch {
	case len(below) > 0 && now.Exists() && now.Mode != modeTree:
		return bothFileAndDir(join(path, name))
	case len(below) > 0:
		id, err := o.store(below)
		if err != nil {
			return err
		}
		names[name] = orchestrator.Entry{Mode: modeTree, ID: id}
	case now.Mode == modeTree:
		delete(names, name)
	}
	return nil
}

func bothFileAndDir(path orchestrator.Path) error {
	return orchestrator.Errorf(orchestrator.CodeConflict, "%s would be both a file and a directory", path)
}

// load reads a tree.
func (o *overlay) load(id orchestrator.ObjectID) (map[string]orchestrator.Entry, error) {
	if id == "" {
		return map[string]orchestrator.Entry{}, nil
	}
	raw, err := o.objects.tree(o.ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := treeedit.Parse(raw, o.objects.format)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	names := make(map[string]orchestrator.Entry, len(list))
	for _, entry := range list {
		names[entry.Name] = orchestrator.Entry{Mode: entry.Mode, ID: entry.ID}
	}
	return names, nil
}

// store writes a tree.
func (o *overlay) store(names map[string]orchestrator.Entry) (orchestrator.ObjectID, error) {
	sorted := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return strings.Compare(sortedAs(a, names[a]), sortedAs(b, names[b]))
	})
	var content []byte
	var err error
	for _, name := range sorted {
		content = append(strconv.AppendUint(content, uint64(names[name].Mode), 8), ' ')
		content = append(append(content, name...), 0)
		if content, err = o.objects.format.AppendRaw(content, names[name].ID); err != nil {
			return "", err
		}
	}
	return o.objects.put(objectid.Tree, content)
}

// sortedAs is a name as git orders it in a tree: a directory ends in a slash.
func sortedAs(name string, entry orchestrator.Entry) string {
	if entry.Mode == modeTree {
		return name + "/"
	}
	return name
}
