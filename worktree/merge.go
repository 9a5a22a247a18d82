package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// MergeFiles merges three regular files as git merge-file does: base is the
// zero Entry where the other two have no common ancestor. clean is false on a
// conflict, where a file is binary or over the size limit of a snapshot, or
// where one of the three is no regular file; the entry is then without value.
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
	out, err := m.run(ctx)
	if err != nil {
		return orchestrator.Entry{}, false, coded(errors.Join(notConflict(err), m.done()), "merge files")
	}
	id, err := m.objects.put(objectid.Blob, out)
	return orchestrator.Entry{Mode: mode, ID: id}, true, coded(errors.Join(err, m.done()), "store a merged file")
}

// threeWay is a merge of three files that lie in a directory of their own.
type threeWay struct {
	engine  *Engine
	repo    repo
	dir     string
	objects *store
	done    func() error
}

// openMerge returns nil when one of the three is no blob or over the size
// limit. The caller calls done.
func (e *Engine) openMerge(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.ObjectID) (_ *threeWay, err error) {
	r, err := e.plain(common, ours)
	if err != nil {
		return nil, err
	}
	objects, release, err := e.objectsFor(ctx, common, ours)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.tempDir("merge")
	if err != nil {
		return nil, errors.Join(err, release())
	}
	m := &threeWay{engine: e, repo: r, dir: dir, objects: objects, done: func() error { remove(); return release() }}
	for name, id := range map[string]orchestrator.ObjectID{"base": base, "ours": ours, "theirs": theirs} {
		content, err := m.objects.bytes(ctx, id, e.opts.MaxFile)
		if errors.Is(err, errNoFile) {
			return nil, m.done()
		}
		if err == nil {
			err = os.WriteFile(m.at(name), content, 0o600)
		}
		if err != nil {
			return nil, errors.Join(err, m.done())
		}
	}
	return m, nil
}

func (m *threeWay) at(name string) string { return filepath.Join(m.dir, name) }

// run returns the merged file. It needs no object, so that git finds those that
// were made before does not matter.
func (m *threeWay) run(ctx context.Context, options ...string) ([]byte, error) {
	args := append(append([]string{"merge-file", "-p"}, options...), m.at("ours"), m.at("base"), m.at("theirs"))
	out, err := m.engine.git.Git.Run(ctx, m.repo.call(args...))
	return out.Stdout, err
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
