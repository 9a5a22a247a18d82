package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"boo/orchestrator"
)

// Repair brings a worktree back to where it stands and to the repository that
// it belongs to, and tells in words for people what it had to do for that;
// nothing when all was well, which costs a few small reads.
//
//	directory gone                  restored, see [Engine.Restore]
//	directory moved                 moved back, if git knows or it is near
//	.git file gone, damaged, other  written anew; a directory is set aside
//	registration gone or wrong      written anew, the index with it
//	lock of the index, stale        removed
//
// The caller holds the chat's lock, and no agent is at work in it. CodeConflict
// if something that is not the worktree stands in its place: nothing is changed
// then. CodeNotFound if the repository is gone, or another one in its place.
func (e *Engine) Repair(ctx context.Context, wt orchestrator.Worktree) (done []string, err error) {
	for _, step := range []func(context.Context, orchestrator.Worktree) (string, error){
		e.belongs, e.place, e.relate, e.enroll, e.unlockIndex,
	} {
		what, err := step(ctx, wt)
		if what != "" {
			done = append(done, what)
		}
		if err != nil {
			return done, coded(err, "repair worktree %s", wt.Dir)
		}
	}
	return done, nil
}

// belongs makes sure that a repository that does not know the worktree is the one
// that it was made in.
func (e *Engine) belongs(ctx context.Context, wt orchestrator.Worktree) (string, error) {
	if why := e.Homeless(ctx, wt); why != "" {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "%s; what the worktree holds is as it was", why).
			WithHint(`boo chat send --new "what you want done", or boo chat rm --force %s, which leaves the files in %s`, wt.Chat, wt.Dir)
	}
	return "", nil
}

// place makes sure that the worktree's directory is there.
func (e *Engine) place(ctx context.Context, wt orchestrator.Worktree) (string, error) {
	info, err := os.Lstat(string(wt.Dir))
	switch {
	case err == nil && !info.IsDir():
		return "", inTheWay(wt)
	case err == nil:
		// An empty directory is what is left where somebody cleared up.
		if os.Remove(string(wt.Dir)) != nil {
			return "", nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if from := movedTo(wt); from != "" {
		err := os.Rename(from, string(wt.Dir))
		if errors.Is(err, syscall.EXDEV) {
			return "", orchestrator.Errorf(orchestrator.CodeConflict, "the worktree of chat %s was moved to %s, on another disk", wt.Chat, from).
				WithHint("mv %s %s", quoteShell(from), quoteShell(string(wt.Dir)))
		}
		return fmt.Sprintf("the worktree was moved to %s; it is back at %s, where its sessions look for it", from, wt.Dir), err
	}
	if err := e.restore(ctx, wt); err != nil {
		return "", err
	}
	return "the directory of the worktree was gone; its files are those of the newest snapshot again", nil
}

// relate makes sure that the worktree's .git file leads to its registration. A
// repository that stands there instead may hold work: it is set aside.
func (e *Engine) relate(_ context.Context, wt orchestrator.Worktree) (string, error) {
	link := filepath.Join(string(wt.Dir), ".git")
	want := adminOf(wt).dotGit()
	info, err := os.Lstat(link)
	what := "its .git file was gone"
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case info.Mode().IsRegular():
		content, err := readSmall(link, 64<<10)
		if err == nil && string(content) == want {
			return "", nil
		}
		what = "its .git file was damaged"
		if target, ok := strings.CutPrefix(string(content), "gitdir: "); ok {
			what = fmt.Sprintf("its .git file led to %q", strings.TrimSpace(target))
		}
	default:
		aside := fmt.Sprintf("%s.git-%d", wt.Dir, e.opts.Now().UnixNano())
		if err := os.Rename(link, aside); err != nil {
			return "", err
		}
		what = fmt.Sprintf("its .git was not a file any more; what stood there is at %s", aside)
	}
	if err := replaceFile(link, []byte(want)); err != nil {
		return "", err
	}
	return what + "; it leads to the repository again", nil
}

// enroll makes sure that the repository knows the worktree, and that git can
// work with what it knows.
func (e *Engine) enroll(ctx context.Context, wt orchestrator.Worktree) (string, error) {
	a := adminOf(wt)
	if _, err := os.Lstat(string(a)); errors.Is(err, fs.ErrNotExist) {
		head, err := e.lastHead(ctx, wt)
		if err != nil {
			return "", err
		}
		if err := reregister(wt, head); err != nil {
			return "", err
		}
		return "its repository did not know it any more; it is registered again", e.ownIndex(ctx, wt, head)
	} else if err != nil {
		return "", err
	}
	var wrong []string
	for _, f := range registration(wt, "", lockReason(wt.Chat)) {
		content, err := readSmall(a.file(f.name), 64<<10)
		if f.name == "HEAD" {
			if _, err := readHead(string(a)); err == nil || strings.HasPrefix(string(content), "ref: refs/heads/") {
				continue // at a commit, or on a branch without one yet
			}
			head, err := e.lastHead(ctx, wt)
			if err != nil {
				return "", err
			}
			f.content = string(head) + "\n"
		} else if err == nil && string(content) == f.content {
			continue
		}
		if err := replaceFile(a.file(f.name), []byte(f.content)); err != nil {
			return "", err
		}
		wrong = append(wrong, f.name)
	}
	if len(wrong) == 0 {
		return "", nil
	}
	return fmt.Sprintf("its registration was damaged (%s); it is written again", strings.Join(wrong, ", ")), nil
}

// ownIndex makes the worktree's own index anew.
func (e *Engine) ownIndex(ctx context.Context, wt orchestrator.Worktree, head orchestrator.ObjectID) error {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	temp, remove, err := e.tempDir("index")
	if err != nil {
		return err
	}
	defer remove()
	r = r.with(filepath.Join(temp, "index"))
	if _, err := e.git.Run(ctx, r.call("read-tree", string(head))); err != nil {
		return fmt.Errorf("make the index at %s: %w", head.Short(), err)
	}
	if err := e.limit(ctx, wt, r); err != nil {
		return err
	}
	return copyIndex(r.index, adminOf(wt).file("index"))
}

// unlockIndex removes the lock that a git which died has left on the worktree's
// own index.
func (e *Engine) unlockIndex(_ context.Context, wt orchestrator.Worktree) (string, error) {
	lock := adminOf(wt).file("index.lock")
	info, err := os.Lstat(lock)
	if err != nil || e.opts.Now().Sub(info.ModTime()) < staleLock {
		return "", nil
	}
	if err := os.Remove(lock); err != nil {
		return "", err
	}
	return "a git that died had left its index locked; the lock is removed", nil
}
