package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"boo/orchestrator"
	"boo/worktree/internal/linemerge"
	"boo/worktree/internal/pack/objectid"
)

// MergeFiles merges three regular files as git merge-file does: base is the
// zero Entry where the other two have no common ancestor. clean is false on a
// conflict, where a file is binary, over the size limit of a snapshot or of more
// lines than are merged, or where one of the three is no regular file; the entry
// is then without value.
func (e *Engine) MergeFiles(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.Entry) (orchestrator.Entry, bool, error) {
	mode, ok := mergeModes(base.Mode, ours.Mode, theirs.Mode)
	if !ok {
		return orchestrator.Entry{}, false, nil
	}
	switch {
	case ours.ID == theirs.ID || theirs.ID == base.ID:
		return orchestrator.Entry{Mode: mode, ID: ours.ID}, true, nil
	case ours.ID == base.ID:
		return orchestrator.Entry{Mode: mode, ID: theirs.ID}, true, nil
	}
	m, err := e.openMerge(ctx, common, base.ID, ours.ID, theirs.ID)
	if err != nil || m == nil {
		return orchestrator.Entry{}, false, coded(err, "merge files")
	}
	out, clean, _, err := m.run(ctx)
	if err != nil || !clean {
		return orchestrator.Entry{}, false, coded(errors.Join(err, m.done()), "merge files")
	}
	id, err := m.objects.put(objectid.Blob, out)
	return orchestrator.Entry{Mode: mode, ID: id}, true, coded(errors.Join(err, m.done()), "store a merged file")
}

// threeWay is a merge of three files.
type threeWay struct {
	engine             *Engine
	common             orchestrator.GitDir
	like               orchestrator.ObjectID // any of the repository's
	base, ours, theirs []byte
	objects            *store
	done               func() error
}

// mostLines bounds the lines of a file that is merged: with 14 million of them, in
// 100 MB, a merge took 4 GB of memory.
const mostLines = 4_000_000

// openMerge returns nil when one of the three is no blob, or over the limits. The
// caller calls done.
func (e *Engine) openMerge(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.ObjectID) (_ *threeWay, err error) {
	objects, done, err := e.objectsFor(ctx, common, ours)
	if err != nil {
		return nil, err
	}
	m := &threeWay{engine: e, common: common, like: ours, objects: objects, done: done}
	for _, side := range []struct {
		id      orchestrator.ObjectID
		content *[]byte
	}{{base, &m.base}, {ours, &m.ours}, {theirs, &m.theirs}} {
		*side.content, err = m.objects.bytes(ctx, side.id, e.opts.MaxFile)
		if errors.Is(err, errNoFile) || err == nil && bytes.Count(*side.content, []byte("\n")) > mostLines {
			return nil, m.done()
		}
		if err != nil {
			return nil, errors.Join(err, m.done())
		}
	}
	return m, nil
}

// The names of the sides in conflict markers.
const oursName, baseName, theirsName = "yours", "before", "the agents'"

// run returns the merged file, with conflict markers where it is not clean; ok is
// false where there is nothing to mark, because one of the three is binary. What
// cannot be merged in memory git merges.
func (m *threeWay) run(ctx context.Context) (out []byte, clean, ok bool, err error) {
	if merged, ok := linemerge.Merge(m.base, m.ours, m.theirs); ok {
		return merged.Text(oursName, theirsName), merged.Clean(), true, nil
	}
	r, err := m.engine.plain(m.common, m.like)
	if err != nil {
		return nil, false, false, err
	}
	dir, remove, err := m.engine.tempDir("merge")
	if err != nil {
		return nil, false, false, err
	}
	defer remove()
	args := []string{"merge-file", "-p", "--marker-size=7", "-L", oursName, "-L", baseName, "-L", theirsName}
	for i, content := range [][]byte{m.ours, m.base, m.theirs} {
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, false, false, err
		}
		args = append(args, file)
	}
	// It needs no object, so that git finds those that were made before does not
	// matter.
	result, err := m.engine.git.Git.Run(ctx, r.call(args...))
	return result.Stdout, err == nil, err == nil || len(result.Stdout) > 0, notConflict(err)
}

// notConflict returns err unless it is how git merge-file(1) tells of
// conflicts (their number, at most 127) or of a binary file (255).
func notConflict(err error) error {
	git, ok := errors.AsType[*GitError](err)
	if ok && (git.ExitCode > 0 && git.ExitCode <= 127 || git.Says("Cannot merge binary files")) {
		return nil
	}
	return err
}

// mergeModes takes the mode that only one side changed. Only regular files
// have modes that merge.
func mergeModes(base, ours, theirs orchestrator.FileMode) (orchestrator.FileMode, bool) {
	regular := func(m orchestrator.FileMode) bool {
		return m == orchestrator.ModeRegular || m == orchestrator.ModeExec
	}
	switch {
	case !regular(ours) || !regular(theirs):
		return 0, false
	case ours == theirs || theirs == base:
		return ours, base == orchestrator.ModeNone || regular(base)
	case ours == base:
		return theirs, true
	}
	return 0, false
}
