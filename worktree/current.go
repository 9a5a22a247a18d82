package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"boo/orchestrator"
)

// Current reads the files at paths as they are in the checkout now, as git
// would record them (end of line and encoding by the checkout's rules, of
// filters only Git LFS), and stores their content. A path where nothing is, or that lies
// behind a symlink or a file, has the zero Entry. What git cannot record has
// an Entry without an ID whose Mode holds the type bits of inode(7):
// 0o040000 for a directory, 0o010000 for a fifo, and so on. A directory that
// is a repository is a gitlink to its commit.
//
// hints are the entries that git's own rules consult: a file recorded with
// CRLF keeps it under automatic conversion.
func (e *Engine) Current(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) (map[orchestrator.Path]orchestrator.Reading, error) {
	for _, p := range paths {
		if _, err := orchestrator.ParsePath(string(p)); err != nil {
			return nil, err
		}
	}
	found := make(map[orchestrator.Path]orchestrator.Reading, len(paths))
	if len(paths) == 0 {
		return found, nil
	}
	others, err := e.readPlain(ctx, c, paths, hints, found)
	if err != nil {
		return nil, coded(err, "read files of %s", c.Dir)
	}
	left, err := look(c, others, hints, found)
	if err != nil || len(left) == 0 {
		return found, err
	}
	read, err := e.readFiles(ctx, c, left, hints)
	if err != nil {
		return nil, coded(err, "read files of %s", c.Dir)
	}
	for _, x := range read {
		if _, asked := found[x.path]; asked {
			found[x.path] = orchestrator.Reading{Entry: x.entry}
		}
	}
	return found, nil
}

// look takes down what is at paths that are no files, and returns the others.
func look(c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry, found map[orchestrator.Path]orchestrator.Reading) (files []orchestrator.Path, err error) {
	for _, p := range paths {
		found[p] = orchestrator.Reading{}
		info, err := lstatBelow(string(c.Dir), string(p))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		case err != nil:
			return nil, coded(err, "look at %s", p)
		case info.Mode().IsRegular(), info.Mode()&fs.ModeSymlink != 0:
			files = append(files, p)
		default:
			found[p] = orchestrator.Reading{Entry: obstacle(c, p, info, hints[p])}
		}
	}
	return files, nil
}

// obstacle describes what stands at a path and is neither file nor symlink.
func obstacle(c orchestrator.Checkout, p orchestrator.Path, info fs.FileInfo, hint orchestrator.Entry) orchestrator.Entry {
	if info.IsDir() {
		head, err := nestedHead(filepath.Join(string(c.Dir), string(p)))
		switch {
		case err == nil:
			return orchestrator.Entry{Mode: orchestrator.ModeGitlink, ID: head}
		case hint.Mode == orchestrator.ModeGitlink && errors.Is(err, errNoRepo):
			return hint // a submodule that is not initialised
		}
	}
	kind := orchestrator.FileMode(syscall.S_IFREG)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		kind = orchestrator.FileMode(stat.Mode & syscall.S_IFMT)
	}
	return orchestrator.Entry{Mode: kind}
}

// readFiles records files in an index that holds nothing but them.
func (e *Engine) readFiles(ctx context.Context, c orchestrator.Checkout, files []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) ([]indexed, error) {
	r, err := e.checkout(ctx, c)
	if err != nil {
		return nil, err
	}
	temp, remove, err := e.tempDir("current")
	if err != nil {
		return nil, err
	}
	defer remove()
	r = r.with(filepath.Join(temp, "index"))
	var seed []indexed
	var like orchestrator.ObjectID
	for _, p := range files {
		if hint := hints[p]; hint.Exists() {
			seed = append(seed, indexed{p, hint})
			like = hint.ID
		}
	}
	if err := e.setEntries(ctx, r, like, seed); err != nil {
		return nil, err
	}
	unread, err := e.addFiles(ctx, r, files)
	if err != nil {
		return nil, err
	}
	if len(unread) > 0 {
		code := orchestrator.CodeInvalid
		if strings.Contains(unread[0].Reason, "Permission denied") {
			code = orchestrator.CodeDenied
		}
		return nil, orchestrator.Errorf(code, "%s %s", unread[0].Path, unread[0].Reason)
	}
	out, err := e.git.Run(ctx, r.call("ls-files", "-s", "-z"))
	if err != nil {
		return nil, fmt.Errorf("list what was read: %w", err)
	}
	return parseIndexed(out.Stdout)
}
