package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// The .keep files of a chat's packs are names of one file, as a name costs far
// less than a file. As long as that has but one name, no snapshot of the chat was
// cut off, and the directory of packs need not be searched. So that this holds,
// the file goes before a .keep file is made that is none of its names.

// keepFile is that file of a chat. It may be missing.
func (e *Engine) keepFile(chat orchestrator.ChatID) string {
	return filepath.Join(e.chatDir(chat), "keep")
}

// keepReason is what the .keep files of a chat's packs say.
func keepReason(chat orchestrator.ChatID) string { return "boo chat " + string(chat) }

// keepPack makes a .keep file for a chat.
func (e *Engine) keepPack(chat orchestrator.ChatID, path string) error {
	err := os.Link(e.keepFile(chat), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err := os.Remove(e.keepFile(chat)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(keepReason(chat)+"\n"), 0o644)
}

// releaseKept removes the .keep files of snapshots of this chat that were cut
// off: nothing will refer to their packs.
func (e *Engine) releaseKept(common orchestrator.GitDir, chat orchestrator.ChatID) error {
	var one unix.Stat_t
	if unix.Lstat(e.keepFile(chat), &one) == nil && one.Nlink == 1 {
		return nil
	}
	entries, err := os.ReadDir(packsDir(common))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".keep" {
			continue
		}
		path := filepath.Join(packsDir(common), entry.Name())
		content, err := readSmall(path, 4<<10)
		if err == nil && strings.TrimSpace(string(content)) == keepReason(chat) {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	_ = renameInto(e.keepFile(chat), []byte(keepReason(chat)+"\n")) // without it the packs are searched the next time
	return nil
}
