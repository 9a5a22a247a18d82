package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"boo/orchestrator"
)

// Chats lists the chats that a repository holds refs of; none if there is no
// repository any more. Refs that are not as boo names them are passed over.
func (e *Engine) Chats(ctx context.Context, common orchestrator.GitDir) ([]orchestrator.ChatID, error) {
	if _, err := os.Stat(objectsOf(common)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out, err := e.git.Run(ctx, shared(common, "for-each-ref", "--format=%(refname)", "refs/boo/chats/*/base"))
	if err != nil {
		return nil, coded(err, "list the chats of %s", common)
	}
	var chats []orchestrator.ChatID
	for line := range strings.Lines(string(out.Stdout)) {
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "refs/boo/chats/"), "/base")
		if chat, err := orchestrator.ParseChatID(name); err == nil {
			chats = append(chats, chat)
		}
	}
	return chats, nil
}
