package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// Registered is a worktree that a repository knows as one of boo's.
type Registered struct {
	Chat orchestrator.ChatID
	Dir  string // where it is expected
}

// Registrations lists the worktrees that a repository knows as boo's, by the
// reason of their lock, whoever made them; none if there is no repository.
func (e *Engine) Registrations(common orchestrator.GitDir) (list []Registered, err error) {
	err = eachRegistration(common, func(name, reason, dir string) {
		chat, err := orchestrator.ParseChatID(name)
		if err == nil && (reason == lockReason(chat) || reason == spareReason(chat)) {
			list = append(list, Registered{Chat: chat, Dir: dir})
		}
	})
	return list, err
}

// beingMade is the reason of the lock that "git worktree add" holds until it is
// done. What one that died has left it keeps from being pruned, for good.
const beingMade = "initializing"

// HalfMade lists, by the name that a repository knows them by, where the worktrees
// are that a "git worktree add" has not finished: it is at work, or has died.
func (e *Engine) HalfMade(common orchestrator.GitDir) (map[string]string, error) {
	dirs := map[string]string{}
	err := eachRegistration(common, func(name, reason, dir string) {
		if reason == beingMade {
			dirs[name] = dir
		}
	})
	return dirs, err
}

// eachRegistration calls look with the name of each worktree that a repository
// knows and has locked, the reason of the lock, and where the worktree is expected:
// nowhere, ".", if the registration does not say.
func eachRegistration(common orchestrator.GitDir, look func(name, reason, dir string)) error {
	top := filepath.Join(string(common), "worktrees")
	entries, err := os.ReadDir(top)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return coded(err, "list the worktrees of %s", common)
	}
	for _, entry := range entries {
		a := admin(filepath.Join(top, entry.Name()))
		reason, err := readSmall(a.file("locked"), 4<<10)
		if err != nil {
			continue
		}
		link, _ := readSmall(a.file("gitdir"), 64<<10)
		look(entry.Name(), strings.TrimSpace(string(reason)), filepath.Dir(strings.TrimRight(string(link), "\n")))
	}
	return nil
}

// Mirrors lists the remotes to which a push takes every ref, boo's too.
func (e *Engine) Mirrors(ctx context.Context, common orchestrator.GitDir) (remotes []string, err error) {
	out, err := e.git.Run(ctx, shared(common, "config", "--local", "--type=bool", "--null", "--get-regexp", `^remote\..*\.mirror$`))
	if err != nil && !exited(err, 1) {
		return nil, coded(err, "read the configuration of %s", common)
	}
	for entry := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if key, value, _ := strings.Cut(entry, "\n"); value == "true" {
			remotes = append(remotes, strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".mirror"))
		}
	}
	return remotes, nil
}
