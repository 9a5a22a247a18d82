package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

const modeTree orchestrator.FileMode = 0o040000

// treeLimit bounds one tree object, in bytes: about a million names.
const treeLimit = 64 << 20

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
	r, err := e.plain(common, like)
	if err != nil {
		return "", coded(err, "overlay a tree")
	}
	o := overlay{}
	if o.read, err = e.git.Open(ctx, r.call("cat-file", "--batch")); err != nil {
		return "", coded(err, "overlay a tree")
	}
	defer func() { err = errors.Join(err, coded(o.read.Close(), "overlay a tree")) }()
	if o.write, err = e.git.Open(ctx, r.call("mktree", "-z", "--missing", "--batch")); err != nil {
		return "", coded(err, "overlay a tree")
	}
	defer func() { err = errors.Join(err, coded(o.write.Close(), "overlay a tree")) }()

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

// overlay rewrites trees through two running gits.
type overlay struct{ read, write *gitcmd.Pipe }

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

// load reads a tree object: "mode name NUL" and the raw id, over and over.
func (o *overlay) load(id orchestrator.ObjectID) (map[string]orchestrator.Entry, error) {
	names := map[string]orchestrator.Entry{}
	if id == "" {
		return names, nil
	}
	kind, _, raw, err := o.read.Object(string(id)+"^{tree}", treeLimit)
	if err != nil {
		return nil, err
	}
	if kind != "tree" || raw == nil {
		return nil, fmt.Errorf("tree %s cannot be read: it is %s", id, kind)
	}
	width := len(id) / 2
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || len(rest) < width {
			return nil, fmt.Errorf("tree %s is damaged", id)
		}
		entry, err := side(mode, fmt.Sprintf("%x", rest[:width]))
		if err != nil {
			return nil, err
		}
		names[name], raw = entry, rest[width:]
	}
	return names, nil
}

// store writes a tree object. Git sorts the names.
func (o *overlay) store(names map[string]orchestrator.Entry) (orchestrator.ObjectID, error) {
	var in bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(names)) {
		entry := names[name]
		kind := "blob"
		switch entry.Mode {
		case modeTree:
			kind = "tree"
		case orchestrator.ModeGitlink:
			kind = "commit"
		}
		fmt.Fprintf(&in, "%06o %s %s\t%s\x00", entry.Mode, kind, entry.ID, name)
	}
	in.WriteByte(0)
	line, err := o.write.Ask(in.Bytes())
	if err != nil {
		return "", err
	}
	return orchestrator.ParseObjectID(line)
}
