package worktree

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// mostBook is how many bytes a file of git's books may have to be kept, and
// mostBooks how many of them there may be.
const (
	mostBook  = 64 << 20
	mostBooks = 500
)

// books are the files in which git keeps, for a worktree alone, what neither its
// files nor its index tell: where its HEAD was, the refs that only it sees, its
// own settings, and what its index shares. HEAD is among them where it is on a branch.
func books(a admin) (names []string, err error) {
	names = []string{"logs/HEAD", "ORIG_HEAD", "config.worktree", "info/sparse-checkout"}
	if content, err := readSmall(a.file("HEAD"), 4<<10); err == nil && strings.HasPrefix(string(content), onBranch) {
		names = append(names, "HEAD")
	}
	shared, err := filepath.Glob(a.file("sharedindex.*"))
	if err != nil {
		return nil, err
	}
	for _, path := range shared {
		names = append(names, filepath.Base(path))
	}
	refs, err := ownRefs(a)
	return append(names, refs...), err
}

// onBranch begins a HEAD that is on a branch.
const onBranch = "ref: refs/heads/"

// ownRefs names the files of the refs that only a worktree sees.
func ownRefs(a admin) (names []string, err error) {
	err = filepath.WalkDir(a.file("refs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && len(names) < mostBooks {
			name, _ := filepath.Rel(string(a), path)
			names = append(names, name)
		}
		return gone(err)
	})
	return names, err
}

// putBooks adds a worktree's books to entries, in one file, if there are any.
func putBooks(objects *store, a admin, entries map[orchestrator.Path]orchestrator.Entry) error {
	names, err := books(a)
	if err != nil {
		return err
	}
	var raw bytes.Buffer
	list, some := tar.NewWriter(&raw), false
	for _, name := range names {
		content, err := readSmall(a.file(name), mostBook)
		if err != nil {
			continue // there is none; of what is too large the commits are kept
		}
		some = true
		header := tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}
		if err := list.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := list.Write(content); err != nil {
			return err
		}
	}
	if err := list.Close(); err != nil || !some {
		return err
	}
	blob, err := objects.put(objectid.Blob, raw.Bytes())
	entries[keptBooks] = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: blob}
	return err
}

// bringBooks writes the books of an archive to the registration of its worktree.
func (e *Engine) bringBooks(ctx context.Context, wt orchestrator.Worktree, raw []byte) error {
	for list := tar.NewReader(bytes.NewReader(raw)); ; {
		header, err := list.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(list)
		if err != nil {
			return err
		}
		if err := e.bringBook(ctx, wt, header.Name, content); err != nil {
			return fmt.Errorf("write %s: %w", header.Name, err)
		}
	}
}

func (e *Engine) bringBook(ctx context.Context, wt orchestrator.Worktree, name string, content []byte) error {
	if _, err := orchestrator.ParsePath(name); err != nil {
		return err
	}
	a := adminOf(wt)
	if name == "HEAD" {
		free, err := e.mayReturn(ctx, wt, strings.TrimSpace(strings.TrimPrefix(string(content), "ref: ")))
		if err != nil || !free {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(a.file(name)), 0o777); err != nil {
		return err
	}
	return replaceFile(a.file(name), content)
}

// mayReturn reports whether HEAD of a worktree, which is where it was, may be on
// a branch again: that is there still, and nowhere else checked out.
func (e *Engine) mayReturn(ctx context.Context, wt orchestrator.Worktree, branch string) (bool, error) {
	head, err := readHead(string(adminOf(wt)))
	if err != nil {
		return false, err
	}
	if at, err := e.refCommit(ctx, wt.CommonDir, branch); err != nil || at != head {
		return false, err
	}
	list, err := e.registered(ctx, wt.CommonDir)
	return !slices.Contains(list, "branch "+branch), err
}

// registered is what git says of a repository's worktrees, line by line; see
// git-worktree(1).
func (e *Engine) registered(ctx context.Context, common orchestrator.GitDir) ([]string, error) {
	out, err := e.git.Run(ctx, shared(common, "worktree", "list", "--porcelain", "-z"))
	if err != nil {
		return nil, coded(err, "list the worktrees of %s", common)
	}
	return strings.Split(string(out.Stdout), "\x00"), nil
}
