package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
)

// lfsTime is how long the contents of a worktree may take to come.
const lfsTime = 10 * time.Minute

// contents gives the files of the base that are kept with Git LFS their contents.
// What neither the repository nor the chat has is fetched into the repository by
// the person's own git-lfs. Files that are no pointers any more are left alone.
func (e *Engine) contents(ctx context.Context, wt orchestrator.Worktree, environ []string) (warnings []string, err error) {
	r, filtered, err := e.filteredChat(ctx, wt)
	if err != nil || !filtered {
		return nil, err
	}
	left, err := e.fillIn(ctx, wt, r, r.index)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	if err := e.fetchContents(ctx, wt, environ); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		warnings = append(warnings, "what is kept with Git LFS could not be fetched: "+err.Error())
	}
	if left, err = e.fillIn(ctx, wt, r, r.index); len(left) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of the files that this repository keeps with Git LFS are pointers in the worktree, such as %s; to have them: git lfs fetch --all, then boo chat send --new", len(left), left[0]))
	}
	return warnings, err
}

// filteredChat is [Engine.chat], and reports whether files of the worktree are to
// have contents from Git LFS.
func (e *Engine) filteredChat(ctx context.Context, wt orchestrator.Worktree) (repo, bool, error) {
	r, err := e.chat(ctx, wt)
	if err != nil || e.opts.SkipLFS {
		return r, false, err
	}
	_, core, err := carriedRules(r.gitDir)
	return r, usesLFS(core), err
}

// fillIn writes contents in the place of pointers, as far as they are on this
// machine, and returns what is left. The indexes know of them afterwards, and
// the worktree's own too if it is the same as boo's.
func (e *Engine) fillIn(ctx context.Context, wt orchestrator.Worktree, r repo, indexes ...string) (left []orchestrator.Path, err error) {
	wanting, err := e.pointers(ctx, wt, r)
	if err != nil || len(wanting) == 0 {
		return nil, err
	}
	root, err := os.OpenRoot(string(wt.Dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	stores := []string{lfsOf(wt.CommonDir), lfsOfChat(wt.CommonDir, wt.Chat)}
	for path, pointer := range wanting {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if filled, err := fillPointer(root, string(path), pointed([]byte(pointer)), stores); err != nil {
			return nil, noteFull(err, string(wt.Dir))
		} else if !filled {
			left = append(left, path)
		}
	}
	slices.Sort(left)
	for _, path := range left {
		delete(wanting, path)
	}
	return left, e.known(wt, r, wanting, indexes)
}

// known has indexes know the files that have contents now in the place of
// pointers: git takes a file of another size for another file.
func (e *Engine) known(wt orchestrator.Worktree, r repo, filled map[orchestrator.Path]string, indexes []string) error {
	if len(filled) == 0 {
		return nil
	}
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return err
	}
	root, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	own, _ := readSmall(r.own, mostOfGit)
	before, _ := os.ReadFile(r.index)
	for _, name := range indexes {
		index, err := dircache.Read(name, format)
		if errors.Is(err, fs.ErrNotExist) {
			continue // made when it is needed
		}
		if err != nil {
			return err
		}
		for path, pointer := range filled {
			entry := index.Lookup(path)
			st, err := root.Lstat(path)
			if err == nil && entry != nil && entry.ID == format.Of(objectid.Blob, []byte(pointer)) {
				index.Refresh(path, dircache.StatOf(&st))
			}
		}
		if err := index.WriteFile(name); err != nil {
			return err
		}
	}
	if !bytes.Equal(own, before) {
		return nil
	}
	return e.shareIndex(wt, r)
}

// fillPointer writes a content to where its pointer stands, and reports false if
// no store has it.
func fillPointer(root *os.Root, name, sum string, stores []string) (bool, error) {
	for _, storage := range stores {
		from, err := os.Open(contentName(storage, sum))
		if err != nil {
			continue
		}
		err = replaceBy(root, name, sum, from)
		if err = errors.Join(err, from.Close()); err == nil || !errors.Is(err, errOtherSum) {
			return err == nil, err
		}
	}
	return false, nil
}

var errOtherSum = errors.New("the content is not what its name says")

// replaceBy has a file hold what is read instead, if that has the sum.
func replaceBy(root *os.Root, name, sum string, from io.Reader) (err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	temp := name + ".boo-lfs"
	to, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}()
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), from)
	if err = errors.Join(err, to.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		return errOtherSum
	}
	return root.Rename(temp, name)
}

// pointers lists the files that are to have their contents from Git LFS, and are
// pointers, with what they hold.
func (e *Engine) pointers(ctx context.Context, wt orchestrator.Worktree, r repo) (map[orchestrator.Path]string, error) {
	call := r.call("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(top,attr:filter=lfs)")
	call.Magic = true
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("list the files that are kept with Git LFS: %w", err)
	}
	root, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found := map[orchestrator.Path]string{}
	for name := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if path, err := orchestrator.ParsePath(name); err == nil {
			if pointer := pointerAt(root, path); pointer != "" {
				found[path] = pointer
			}
		}
	}
	return found, nil
}

// pointerAt returns what a file holds, "" if it is no pointer.
func pointerAt(root *safeopen.Root, path orchestrator.Path) string {
	f, err := root.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if f.Stat().Size >= pointerLimit {
		return ""
	}
	content := make([]byte, f.Stat().Size)
	if _, err := readFull(f, content); err != nil {
		return ""
	}
	if pointed(content) == "" {
		return ""
	}
	return string(content)
}

// fetchContents has the person's git-lfs fetch what the base of a worktree points
// at, in their own repository.
func (e *Engine) fetchContents(ctx context.Context, wt orchestrator.Worktree, environ []string) error {
	c := orchestrator.Checkout{CommonDir: wt.CommonDir, Dir: wt.Source}
	remote, err := e.remote(ctx, c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lfsTime, errors.New("it did not come within "+lfsTime.String()))
	defer cancel()
	_, err = e.git.Run(ctx, network(c, environ, "lfs", "fetch", remote, string(wt.Base)))
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return errors.New(reason(err))
	}
	return nil
}

// whyPointers says why a worktree has pointers by design; "" where it has not.
func (e *Engine) whyPointers(ctx context.Context, wt orchestrator.Worktree) string {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return ""
	}
	_, core, err := carriedRules(r.gitDir)
	switch {
	case e.opts.SkipLFS:
		return `worktree.lfs is "skip"`
	case err != nil || usesLFS(core):
		return ""
	case e.lfsProgram() == "":
		return "git-lfs is not installed"
	}
	return "your git is not set up for it; run: git lfs install"
}
