package worktree

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"boo/orchestrator"
)

// Chats lists the chats that a repository holds refs of; none if there is no
// repository any more. Refs that are not as boo names them are passed over.
func (e *Engine) Chats(ctx context.Context, common orchestrator.GitDir) ([]orchestrator.ChatID, error) {
	bases, err := e.ofChats(ctx, common, "base")
	return slices.Sorted(maps.Keys(bases)), err
}

// Heads returns the newest snapshot of every chat that a repository holds one of.
func (e *Engine) Heads(ctx context.Context, common orchestrator.GitDir) (map[orchestrator.ChatID]orchestrator.ObjectID, error) {
	return e.ofChats(ctx, common, "head")
}

// ofChats returns what the refs of that name are at, by chat.
func (e *Engine) ofChats(ctx context.Context, common orchestrator.GitDir, name string) (map[orchestrator.ChatID]orchestrator.ObjectID, error) {
	found := map[orchestrator.ChatID]orchestrator.ObjectID{}
	if _, err := os.Stat(objectsOf(common)); errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	out, err := e.git.Run(ctx, shared(common, "for-each-ref", "--format=%(objectname) %(refname)", "refs/boo/chats/*/"+name))
	if err != nil {
		return nil, coded(err, "list the chats of %s", common)
	}
	for line := range strings.Lines(string(out.Stdout)) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		chat, err := orchestrator.ParseChatID(strings.TrimSuffix(strings.TrimPrefix(ref, "refs/boo/chats/"), "/"+name))
		if err == nil {
			found[chat] = orchestrator.ObjectID(id)
		}
	}
	return found, nil
}

// PutHead makes a commit the newest snapshot of a chat again whose ref is gone.
// CodeNotFound if the commit is gone, too.
func (e *Engine) PutHead(ctx context.Context, wt orchestrator.Worktree, commit orchestrator.ObjectID) error {
	there, err := e.isCommit(ctx, wt.CommonDir, commit)
	if err == nil && !there {
		err = orchestrator.Errorf(orchestrator.CodeNotFound, "snapshot %s is gone", commit.Short())
	}
	if err != nil {
		return err
	}
	head, _, _ := refsOf(wt.Chat)
	return e.MoveRef(ctx, wt.CommonDir, head, "", commit)
}
