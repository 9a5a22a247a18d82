package worktree

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// Diff lists the paths that differ between two commits or trees, in the order
// of their bytes. Renames are a deletion and a creation. Whether a file is
// binary is judged by its content alone: attributes do not reach a comparison
// of trees. An empty id stands for the empty tree.
func (e *Engine) Diff(ctx context.Context, common orchestrator.GitDir, from, to orchestrator.ObjectID) ([]orchestrator.FileChange, error) {
	call, err := e.diffTree(ctx, common, from, to, "--raw", "--numstat", "-z")
	if err != nil {
		return nil, coded(err, "compare %s with %s", from.Short(), to.Short())
	}
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, coded(err, "compare %s with %s", from.Short(), to.Short())
	}
	changes, err := parseDiff(string(out.Stdout))
	return changes, coded(err, "compare %s with %s", from.Short(), to.Short())
}

func (e *Engine) diffTree(ctx context.Context, common orchestrator.GitDir, from, to orchestrator.ObjectID, args ...string) (gitcmd.Call, error) {
	r, err := e.plain(common, max(from, to))
	if err != nil {
		return gitcmd.Call{}, err
	}
	for _, side := range []*orchestrator.ObjectID{&from, &to} {
		if *side != "" {
			continue
		}
		if *side, err = e.emptyTree(ctx, r); err != nil {
			return gitcmd.Call{}, err
		}
	}
	args = append([]string{
		"diff-tree", "-r", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none",
	}, args...)
	return r.call(append(args, string(from), string(to))...), nil
}

// parseDiff reads "--raw --numstat -z": all raw records, each ":mode mode id
// id status" and a path, and then all counts, each "added deleted path".
func parseDiff(raw string) ([]orchestrator.FileChange, error) {
	var changes []orchestrator.FileChange
	at := map[orchestrator.Path]int{}
	fields := strings.Split(strings.TrimSuffix(raw, "\x00"), "\x00")
	for i := 0; i < len(fields) && fields[i] != ""; i++ {
		info, isRaw := strings.CutPrefix(fields[i], ":")
		if !isRaw {
			if err := count(changes, at, fields[i]); err != nil {
				return nil, err
			}
			continue
		}
		f := strings.Fields(info)
		if len(f) != 5 || i+1 == len(fields) {
			return nil, fmt.Errorf("read a difference: %q", fields[i])
		}
		i++
		oldSide, err := side(f[0], f[2])
		if err != nil {
			return nil, err
		}
		newSide, err := side(f[1], f[3])
		if err != nil {
			return nil, err
		}
		path := orchestrator.Path(fields[i])
		at[path] = len(changes)
		changes = append(changes, orchestrator.FileChange{Path: path, Old: oldSide, New: newSide})
	}
	return changes, nil
}

func side(mode, id string) (orchestrator.Entry, error) {
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return orchestrator.Entry{}, fmt.Errorf("read the mode of a difference: %w", err)
	}
	if m == 0 {
		return orchestrator.Entry{}, nil
	}
	return orchestrator.Entry{Mode: orchestrator.FileMode(m), ID: orchestrator.ObjectID(id)}, nil
}

func count(changes []orchestrator.FileChange, at map[orchestrator.Path]int, record string) error {
	f := strings.SplitN(record, "\t", 3)
	i, known := -1, false
	if len(f) == 3 {
		i, known = at[orchestrator.Path(f[2])]
	}
	if !known {
		return fmt.Errorf("read the line counts of a difference: %q", record)
	}
	if f[0] == "-" {
		changes[i].Binary = true
		return nil
	}
	added, err := strconv.Atoi(f[0])
	if err != nil {
		return fmt.Errorf("read the line counts of a difference: %w", err)
	}
	deleted, err := strconv.Atoi(f[1])
	if err != nil {
		return fmt.Errorf("read the line counts of a difference: %w", err)
	}
	// A change of type is counted as two records, one for each side.
	changes[i].Added += added
	changes[i].Deleted += deleted
	return nil
}

// patchArgs is how many bytes of paths go on one command line.
const patchArgs = 100 << 10

// WritePatch writes the difference as a patch that git apply takes back,
// binary files included. Paths are literal; a directory stands for what is
// below it.
func (e *Engine) WritePatch(ctx context.Context, w io.Writer, common orchestrator.GitDir, from, to orchestrator.ObjectID, paths []orchestrator.Path) error {
	return e.writeDiff(ctx, w, common, from, to, paths, "-p", "--binary")
}

func (e *Engine) writeDiff(ctx context.Context, w io.Writer, common orchestrator.GitDir, from, to orchestrator.ObjectID, paths []orchestrator.Path, form ...string) error {
	call, err := e.diffTree(ctx, common, from, to, append(form, "--src-prefix=a/", "--dst-prefix=b/")...)
	if err != nil {
		return coded(err, "write a patch")
	}
	call.Stdout = w
	if len(paths) == 0 {
		_, err := e.git.Run(ctx, call)
		return coded(err, "write a patch")
	}
	args := append(call.Args, "--")
	for chunk := range chunks(topmost(paths), patchArgs) {
		call.Args = append(slices.Clip(args), chunk...)
		if _, err := e.git.Run(ctx, call); err != nil {
			return coded(err, "write a patch")
		}
	}
	return nil
}

// topmost sorts paths and drops those below another of them, which would come
// up twice.
func topmost(paths []orchestrator.Path) []orchestrator.Path {
	in := map[orchestrator.Path]bool{}
	for _, p := range paths {
		in[p] = true
	}
	covered := func(p orchestrator.Path) bool {
		for i := strings.LastIndexByte(string(p), '/'); i > 0; i = strings.LastIndexByte(string(p[:i]), '/') {
			if in[p[:i]] {
				return true
			}
		}
		return false
	}
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(paths))), covered)
}

// chunks yields the paths in groups of at most size bytes, but at least one.
func chunks(paths []orchestrator.Path, size int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		var group []string
		room := size
		for _, p := range paths {
			if len(group) > 0 && len(p) >= room {
				if !yield(group) {
					return
				}
				group, room = nil, size
			}
			group = append(group, string(p))
			room -= len(p) + 1
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}
