package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

// remembered returns the snapshot that was taken last in process. It holds for
// as long as the chat's ref points at its commit, and spares reading that.
func (e *Engine) remembered(chat orchestrator.ChatID) orchestrator.Snapshot {
	content, err := os.ReadFile(filepath.Join(e.chatDir(chat), "newest"))
	if f := strings.Fields(string(content)); err == nil && len(f) == 3 {
		return orchestrator.Snapshot{Commit: orchestrator.ObjectID(f[0]), Tree: orchestrator.ObjectID(f[1]), Parent: orchestrator.ObjectID(f[2])}
	}
	return orchestrator.Snapshot{}
}

// remember keeps a snapshot, and the files in which it differs from the base
// in the form of an index, for the next one: what has not changed since then
// is neither read nor stored again. Only the order makes them belong together:
// "newest" names a commit no earlier than "changed" holds its files.
func (e *Engine) remember(chat orchestrator.ChatID, snap orchestrator.Snapshot, changed *dircache.Index) error {
	dir := e.chatDir(chat)
	path := filepath.Join(dir, "changed")
	_ = os.Remove(path + ".lock") // of a boo that died: the caller holds the chat
	if err := changed.WriteFile(path); err != nil {
		return err
	}
	line := strings.Join([]string{string(snap.Commit), string(snap.Tree), string(snap.Parent)}, " ") + "\n"
	return replaceFile(filepath.Join(dir, "newest"), []byte(line))
}

// changedSince returns the files in which the newest snapshot differs from the
// base, or an empty index where that is not remembered.
func (e *Engine) changedSince(chat orchestrator.ChatID, prev orchestrator.Snapshot, format objectid.Format) *dircache.Index {
	if prev.Commit != "" && e.remembered(chat).Commit == prev.Commit {
		if index, err := dircache.Read(filepath.Join(e.chatDir(chat), "changed"), format); err == nil {
			return index
		}
	}
	return dircache.New(format, time.Time{})
}

// releaseKept removes the .keep files of snapshots of this chat that were cut
// off: nothing will refer to their packs.
func releaseKept(common orchestrator.GitDir, reason string) error {
	dir := packsDir(common)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".keep" {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		content, err := readSmall(path, 4<<10)
		if err == nil && strings.TrimSpace(string(content)) == reason {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
