package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// indexed is an entry of an index or a tree, with its path.
type indexed struct {
	path  orchestrator.Path
	entry orchestrator.Entry
}

// parseIndexed reads what "ls-files -s -z" and "ls-tree -r -z" print: mode,
// then fields of which one is the object's id, a tab and the path.
func parseIndexed(raw []byte) ([]indexed, error) {
	var list []indexed
	for line := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		info, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(info)
		if !ok || len(f) < 3 {
			return nil, fmt.Errorf("read an index entry: %q", line)
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("read the mode of an index entry: %q", line)
		}
		id := f[1] // ls-files: mode id stage
		if len(id) < 40 {
			id = f[2] // ls-tree: mode type id
		}
		list = append(list, indexed{orchestrator.Path(path), orchestrator.Entry{Mode: orchestrator.FileMode(mode), ID: orchestrator.ObjectID(id)}})
	}
	return list, nil
}

// setEntries writes entries into an index without looking at any file; a zero
// Entry removes its path.
func (e *Engine) setEntries(ctx context.Context, r repo, like orchestrator.ObjectID, list []indexed) error {
	if len(list) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, x := range list {
		id := x.entry.ID
		if !x.entry.Exists() {
			id = orchestrator.ObjectID(strings.Repeat("0", len(like)))
		}
		fmt.Fprintf(&in, "%o %s\t%s\x00", x.entry.Mode, id, string(x.path))
	}
	call := r.call("update-index", "-z", "--index-info")
	call.Stdin = &in
	_, err := e.git.Run(ctx, call)
	return err
}

// addFiles reads files of the work tree into an index, as git add would, and
// returns those that could not be, each with the reason. It goes on without
// them.
func (e *Engine) addFiles(ctx context.Context, r repo, paths []orchestrator.Path) ([]orchestrator.SkippedPath, error) {
	var skipped []orchestrator.SkippedPath
	for len(paths) > 0 {
		refused, culprit, err := e.feed(ctx, r, paths)
		if err != nil && (culprit < 0 || isFull(err) || !exited(err, 1, 128)) {
			return nil, fmt.Errorf("record files: %w", err)
		}
		done := len(paths)
		if err != nil {
			skipped = append(skipped, orchestrator.SkippedPath{Path: paths[culprit], Reason: "cannot be recorded: " + reason(err)})
			// Git has kept nothing of this run. What came before the culprit
			// is given again by itself, so that work stays linear in the
			// number of culprits.
			done = culprit + 1
			if _, _, err := e.feed(ctx, r, paths[:culprit]); err != nil {
				return nil, fmt.Errorf("record files: %w", err)
			}
		}
		for _, p := range refused {
			skipped = append(skipped, orchestrator.SkippedPath{Path: p, Reason: "git does not record files of this name"})
		}
		paths = paths[done:]
	}
	return skipped, nil
}

// feed gives files to git update-index, which takes all of them or none. It
// returns those that git passed over because of their names, and, with an
// error, the position of the one at which it gave up, or -1.
func (e *Engine) feed(ctx context.Context, r repo, paths []orchestrator.Path) (refused []orchestrator.Path, culprit int, err error) {
	if len(paths) == 0 {
		return nil, -1, nil
	}
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(string(p))
		in.WriteByte(0)
	}
	call := r.call("update-index", "--add", "--remove", "--replace", "--verbose", "-z", "--stdin")
	call.Stdin = &in
	out, err := e.git.Run(ctx, call)
	refused, culprit = unreported(paths, out.Stdout, out.Stderr)
	return refused, culprit, err
}

// unreported compares what update-index said with what it was given: refused
// are the paths that it passed over, culprit is the position of the one at
// which it gave up, or -1.
func unreported(paths []orchestrator.Path, stdout, stderr []byte) (refused []orchestrator.Path, culprit int) {
	rest := string(stdout)
	for i, p := range paths {
		line := " '" + string(p) + "'\n"
		if after, ok := strings.CutPrefix(rest, "add"+line); ok {
			rest = after
			continue
		}
		if after, ok := strings.CutPrefix(rest, "remove"+line); ok {
			rest = after
			continue
		}
		if !bytes.Contains(stderr, []byte("Ignoring path "+string(p)+"\n")) {
			return refused, i
		}
		refused = append(refused, p)
	}
	return refused, -1
}

// writeTree writes the trees of r's index.
func (e *Engine) writeTree(ctx context.Context, r repo) (orchestrator.ObjectID, error) {
	return e.objectFrom(ctx, r.call("write-tree"))
}

// emptyTree writes the tree without entries.
func (e *Engine) emptyTree(ctx context.Context, r repo) (orchestrator.ObjectID, error) {
	call := r.call("mktree")
	call.Stdin = strings.NewReader("")
	return e.objectFrom(ctx, call)
}
