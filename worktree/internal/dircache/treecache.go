package dircache

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// node is one directory of the tree cache: the tree that its entries make, as
// long as none of them changes.
type node struct {
	name     string
	entries  int // below it, at any depth; negative when the tree is not known
	id       orchestrator.ObjectID
	children []*node // in the order of compareNodes
}

// compareNodes is git's order of the children: shorter names first.
func compareNodes(a, b *node) int {
	if c := cmp.Compare(len(a.name), len(b.name)); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

func (n *node) child(name string) *node {
	i, found := slices.BinarySearchFunc(n.children, &node{name: name}, compareNodes)
	if !found {
		return nil
	}
	return n.children[i]
}

// invalidate forgets the trees of the directories above path.
func (n *node) invalidate(path orchestrator.Path) {
	for part := range strings.SplitSeq(string(path), "/") {
		if n == nil {
			return
		}
		n.entries = -1
		n = n.child(part)
	}
}

// Tree returns the id of the tree that the entries below dir make ("" is the
// top), if the index knows it.
func (x *Index) Tree(dir orchestrator.Path) (orchestrator.ObjectID, bool) {
	n := x.trees
	if dir != "" {
		for part := range strings.SplitSeq(string(dir), "/") {
			if n == nil {
				break
			}
			n = n.child(part)
		}
	}
	if n == nil || n.entries < 0 {
		return "", false
	}
	return n.id, true
}

// SetTrees records the trees that the index's entries make: ids holds one for
// every directory, "" for the top. The caller vouches for them.
func (x *Index) SetTrees(ids map[orchestrator.Path]orchestrator.ObjectID) {
	nodes := make(map[orchestrator.Path]*node, len(ids))
	var ensure func(dir orchestrator.Path) *node
	ensure = func(dir orchestrator.Path) *node {
		if n := nodes[dir]; n != nil {
			return n
		}
		id := ids[dir]
		n := &node{id: id, entries: -1, name: string(dir[strings.LastIndexByte(string(dir), '/')+1:])}
		if id != "" {
			n.entries = 0
		}
		nodes[dir] = n
		if dir != "" {
			above := ensure(parent(dir))
			above.children = append(above.children, n)
		}
		return n
	}
	x.trees = ensure("")
	for i := range x.entries {
		for dir := x.entries[i].Path; dir != ""; {
			dir = parent(dir)
			if n := ensure(dir); n.entries >= 0 {
				n.entries++
			}
		}
	}
	for _, n := range nodes {
		slices.SortFunc(n.children, compareNodes)
	}
}

// maxDepth is deeper than a path of maxPath bytes can be.
const maxDepth = maxPath/2 + 1

func parseTrees(data []byte, format objectid.Format) *node {
	root, rest, ok := parseNode(data, format, 0)
	if !ok || len(rest) != 0 || root.name != "" {
		return nil
	}
	return root
}

func parseNode(data []byte, format objectid.Format, depth int) (n *node, rest []byte, ok bool) {
	name, data, ok1 := bytes.Cut(data, []byte{0})
	count, data, ok2 := bytes.Cut(data, []byte{' '})
	subtrees, data, ok3 := bytes.Cut(data, []byte{'\n'})
	if !ok1 || !ok2 || !ok3 || depth > maxDepth {
		return nil, nil, false
	}
	n = &node{name: string(name)}
	var err1, err2 error
	n.entries, err1 = strconv.Atoi(string(count))
	children, err2 := strconv.Atoi(string(subtrees))
	if err1 != nil || err2 != nil || children < 0 {
		return nil, nil, false
	}
	if n.entries >= 0 {
		if len(data) < format.Size() {
			return nil, nil, false
		}
		n.id = objectid.FromRaw(data[:format.Size()])
		data = data[format.Size():]
	}
	for range children {
		var child *node
		if child, data, ok = parseNode(data, format, depth+1); !ok {
			return nil, nil, false
		}
		n.children = append(n.children, child)
	}
	slices.SortFunc(n.children, compareNodes)
	return n, data, true
}

func (n *node) append(dst []byte, format objectid.Format) ([]byte, error) {
	dst = append(append(dst, n.name...), 0)
	dst = append(strconv.AppendInt(dst, int64(max(n.entries, -1)), 10), ' ')
	dst = append(strconv.AppendInt(dst, int64(len(n.children)), 10), '\n')
	var err error
	if n.entries >= 0 {
		if dst, err = format.AppendRaw(dst, n.id); err != nil {
			return dst, err
		}
	}
	for _, child := range n.children {
		if dst, err = child.append(dst, format); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
