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
func (e *Engine) Registrations(common orchestrator.GitDir) ([]Registered, error) {
	top := filepath.Join(string(common), "worktrees")
	entries, err := os.ReadDir(top)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, coded(err, "list the worktrees of %s", common)
	}
	var list []Registered
	for _, entry := range entries {
		chat, err := orchestrator.ParseChatID(entry.Name())
		if err != nil {
			continue
		}
		a := admin(filepath.Join(top, entry.Name()))
		reason, err := readSmall(a.file("locked"), 4<<10)
		if what := strings.TrimSpace(string(reason)); err != nil || what != lockReason(chat) && what != spareReason(chat) {
			continue
		}
		link, _ := readSmall(a.file("gitdir"), 64<<10) // where there is none it is expected nowhere
		list = append(list, Registered{Chat: chat, Dir: filepath.Dir(strings.TrimRight(string(link), "\n"))})
	}
	return list, nil
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
