package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"
	"boo/worktree/internal/treescan"
)

// mostLooked is how many files and directories of a worktree are looked at to
// find out when it was last used.
const mostLooked = 2000

// LastUse tells when a worktree was last used: the newest time on its index, its
// HEAD and the log of that, and on its files and directories, those nearest to
// the top, as many as two thousand. A file's own time may be set by who writes
// it; the one at which the system noted a change counts too.
func (e *Engine) LastUse(ctx context.Context, wt orchestrator.Worktree) (time.Time, error) {
	newest, err := gitUse(wt)
	if err != nil {
		return newest, coded(err, "tell when worktree %s was last used", wt.Dir)
	}
	root, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return newest, coded(err, "tell when worktree %s was last used", wt.Dir)
	}
	defer root.Close()
	inside, err := treescan.Newest(ctx, root, []orchestrator.Path{""}, mostLooked)
	return newer(newest, inside), coded(err, "tell when worktree %s was last used", wt.Dir)
}

// gitUse is the newest time on what git writes when it is used in a worktree.
func gitUse(wt orchestrator.Worktree) (newest time.Time, err error) {
	for _, name := range []string{"index", "HEAD", "logs/HEAD"} {
		var st unix.Stat_t
		switch err := unix.Lstat(adminOf(wt).file(name), &st); {
		case err == nil:
			newest = newer(newer(newest, time.Unix(st.Mtim.Unix())), time.Unix(st.Ctim.Unix()))
		case gone(err) != nil:
			return newest, err
		}
	}
	return newest, nil
}

// Traces reports whether anything but its directory is left of the making of a
// worktree: its registration, or private files.
func (e *Engine) Traces(wt orchestrator.Worktree) bool {
	for _, path := range []string{string(adminOf(wt)), e.chatDir(wt.Chat)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// Owner finds out what worktree a directory is that nobody knows of: by its
// .git file, the registration that this leads to, and the refs of the chat. The
// worktree is where it is registered, which need not be dir. CodeUnverified if
// they do not agree that it is one of boo's.
func (e *Engine) Owner(ctx context.Context, dir string) (wt orchestrator.Worktree, err error) {
	no := func(why string) (orchestrator.Worktree, error) {
		return wt, orchestrator.Errorf(orchestrator.CodeUnverified, "%s was not made by boo, as far as can be seen: %s", dir, why)
	}
	content, err := readSmall(filepath.Join(dir, ".git"), 64<<10)
	if err != nil {
		return no("it has no .git file")
	}
	target, _ := strings.CutPrefix(strings.TrimRight(string(content), "\n"), "gitdir: ")
	common, name := filepath.Dir(filepath.Dir(target)), filepath.Base(target)
	if wt.Chat, err = orchestrator.ParseChatID(name); err != nil || !filepath.IsAbs(target) || filepath.Base(filepath.Dir(target)) != "worktrees" {
		return no("its .git file leads to " + target)
	}
	wt.CommonDir = orchestrator.GitDir(common)
	at, err := readSmall(adminOf(wt).file("gitdir"), 64<<10)
	if err != nil {
		return no("its repository does not know it")
	}
	wt.Dir = orchestrator.WorktreeDir(filepath.Dir(strings.TrimRight(string(at), "\n")))
	reason, err := readSmall(adminOf(wt).file("locked"), 64<<10)
	if err != nil || strings.TrimSpace(string(reason)) != lockReason(wt.Chat) {
		return no("it is not locked for a chat")
	}
	_, base, baseline := refsOf(wt.Chat)
	if wt.Base, err = e.refCommit(ctx, wt.CommonDir, base); err != nil || wt.Base == "" {
		return no("its repository holds no base of it")
	}
	if wt.Baseline, err = e.refCommit(ctx, wt.CommonDir, baseline); err != nil || wt.Baseline == "" {
		return no("its repository holds no baseline of it")
	}
	wt.State = orchestrator.WorktreeActive
	return wt, nil
}
