package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
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
	r, err := e.plain(common, ours.ID)
	if err != nil {
		return orchestrator.Entry{}, false, coded(err, "merge files")
	}
	dir, remove, err := e.tempDir("merge")
	if err != nil {
		return orchestrator.Entry{}, false, coded(err, "merge files")
	}
	defer remove()
	fits, err := e.writeBlobs(ctx, r, dir, map[string]orchestrator.ObjectID{"base": base.ID, "ours": ours.ID, "theirs": theirs.ID})
	if err != nil || !fits {
		return orchestrator.Entry{}, false, coded(err, "merge files")
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	merged, err := os.OpenFile(at("merged"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return orchestrator.Entry{}, false, coded(err, "merge files")
	}
	defer merged.Close()
	call := r.call("merge-file", "-p", at("ours"), at("base"), at("theirs"))
	call.Stdout = merged
	if _, err := e.git.Run(ctx, call); err != nil {
		return orchestrator.Entry{}, false, coded(notConflict(err), "merge files")
	}
	id, err := e.hashFile(ctx, r, merged)
	return orchestrator.Entry{Mode: mode, ID: id}, err == nil, coded(err, "store a merged file")
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

// writeBlobs writes blobs into files of dir; an empty id makes an empty file.
// It reports false when one of them is no blob or over the size limit.
func (e *Engine) writeBlobs(ctx context.Context, r repo, dir string, blobs map[string]orchestrator.ObjectID) (fits bool, err error) {
	read, err := e.git.Open(ctx, r.call("cat-file", "--batch"))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, read.Close()) }()
	for name, id := range blobs {
		var content []byte
		if id != "" {
			kind, size, raw, err := read.Object(string(id), e.opts.MaxFile)
			if err != nil {
				return false, err
			}
			if kind == "missing" {
				return false, fmt.Errorf("object %s is missing", id)
			}
			if kind != "blob" || size > e.opts.MaxFile {
				return false, nil
			}
			content = raw
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return false, err
		}
	}
	return true, nil
}

// hashFile stores a file's content as a blob, as it is.
func (e *Engine) hashFile(ctx context.Context, r repo, f *os.File) (orchestrator.ObjectID, error) {
	if _, err := f.Seek(0, 0); err != nil {
		return "", err
	}
	call := r.call("hash-object", "-w", "--stdin", "--no-filters")
	call.Stdin = f
	return e.objectFrom(ctx, call)
}
