package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// chatDir holds what boo's git needs for one chat: a git directory, an index
// that stays at the base, and the list of the base's gitlinks. Losing it costs
// time, not work.
func (e *Engine) chatDir(chat orchestrator.ChatID) string {
	return filepath.Join(e.dir, "chats", string(chat))
}

// chat gives access to the files of a chat's worktree. The rules are carried
// over once, when the chat's git directory is made: an agent that edits the
// repository's configuration later does not change how its work is read.
func (e *Engine) chat(ctx context.Context, wt orchestrator.Worktree) (repo, error) {
	dir := e.chatDir(wt.Chat)
	r := repo{
		gitDir:   filepath.Join(dir, "git"),
		objects:  objectsOf(wt.CommonDir),
		workTree: string(wt.Dir),
		index:    filepath.Join(dir, "index"),
		own:      adminOf(wt).file("index"),
	}
	head := filepath.Join(r.gitDir, "HEAD")
	want := []byte(wt.Base + "\n")
	if have, err := os.ReadFile(head); err == nil && bytes.Equal(have, want) {
		return r, nil
	}
	s, err := e.carry(ctx, wt.CommonDir, wt.CommonDir)
	if err != nil {
		return repo{}, err
	}
	if err := writeGitDir(r.gitDir, s.keptAt(lfsOfChat(wt.CommonDir, wt.Chat))); err != nil {
		return repo{}, err
	}
	// HEAD comes last and marks the directory as whole. It stays at the base,
	// so that the index at the base never differs from it.
	if err := replaceFile(head, want); err != nil {
		return repo{}, fmt.Errorf("write a private git directory: %w", err)
	}
	return r, nil
}

// rebuild makes the chat's index anew from the base. The next scan then reads
// every file once.
func (e *Engine) rebuild(ctx context.Context, wt orchestrator.Worktree, r repo) error {
	if err := e.dropIndex(wt.Chat); err != nil {
		return err
	}
	if _, err := e.git.Run(ctx, r.call("read-tree", string(wt.Base))); err != nil {
		return fmt.Errorf("rebuild the index of chat %s: %w", wt.Chat, err)
	}
	return e.limit(ctx, wt, r)
}

func (e *Engine) dropIndex(chat orchestrator.ChatID) error {
	for _, name := range []string{"index", "index.lock", "gitlinks"} {
		if err := os.Remove(filepath.Join(e.chatDir(chat), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("drop the index of chat %s: %w", chat, err)
		}
	}
	return nil
}

// gitlinks lists the base's gitlinks. Git is told to leave them alone, because
// it would look into them by starting itself there; boo looks after them
// itself. The list costs one pass over the index and is kept with it.
func (e *Engine) gitlinks(ctx context.Context, r repo) ([]indexed, error) {
	list := filepath.Join(filepath.Dir(r.gitDir), "gitlinks")
	if raw, err := os.ReadFile(list); err == nil {
		return parseIndexed(raw)
	}
	out, err := e.git.Run(ctx, r.call("ls-files", "-s", "-z"))
	if err != nil {
		return nil, fmt.Errorf("list the base's submodules: %w", err)
	}
	var links []byte
	for line := range strings.SplitAfterSeq(string(out.Stdout), "\x00") {
		if strings.HasPrefix(line, "160000 ") {
			links = append(links, line...)
		}
	}
	if err := replaceFile(list, links); err != nil {
		return nil, fmt.Errorf("keep the list of the base's submodules: %w", err)
	}
	return parseIndexed(links)
}
