package worktree

import (
	"os"
	"path/filepath"
	"time"

	"boo/orchestrator"
)

// Private lists the chats that have files for boo's git alone, and since when; a
// scratch is none.
func (e *Engine) Private() (map[orchestrator.ChatID]time.Time, error) {
	entries, err := os.ReadDir(filepath.Join(e.dir, "chats"))
	if err != nil {
		return nil, coded(gone(err), "list the private files of chats")
	}
	found := map[orchestrator.ChatID]time.Time{}
	for _, entry := range entries {
		chat, err := orchestrator.ParseChatID(entry.Name())
		if err != nil {
			continue
		}
		if _, err := os.Lstat(e.scratchDir(chat)); err == nil {
			continue
		}
		if info, err := entry.Info(); err == nil {
			found[chat] = info.ModTime()
		}
	}
	return found, nil
}

// DropPrivate removes these files of a chat. What they say is found out again when
// it is needed.
func (e *Engine) DropPrivate(chat orchestrator.ChatID) error {
	return coded(os.RemoveAll(e.chatDir(chat)), "clear the files of chat %s", chat)
}
