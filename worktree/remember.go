package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

// The last snapshot that was taken in process is remembered in a file: a line
// that says which it is, and then, in the form of an index, the files in which it
// differs from the base. It holds for as long as the chat's ref points at its
// commit. Losing it costs time, not work.
func (e *Engine) newestFile(chat orchestrator.ChatID) string {
	return filepath.Join(e.chatDir(chat), "newest")
}

// longestLine is room for that line, in bytes.
const longestLine = 512

// remembered returns the snapshot that was taken last in process. It spares
// reading the commit that the chat's ref points at.
func (e *Engine) remembered(chat orchestrator.ChatID) orchestrator.Snapshot {
	f, err := os.Open(e.newestFile(chat))
	if err != nil {
		return orchestrator.Snapshot{}
	}
	defer f.Close()
	start := make([]byte, longestLine)
	n, _ := io.ReadFull(f, start) // fewer are as good if the line is whole
	snap, _, _ := parseNewest(start[:n])
	return snap
}

// parseNewest takes the file apart; asOf is when the index was true.
func parseNewest(content []byte) (snap orchestrator.Snapshot, asOf time.Time, index []byte) {
	line, index, whole := bytes.Cut(content, []byte("\n"))
	f := strings.Fields(string(line))
	if !whole || len(f) != 4 {
		return snap, asOf, nil
	}
	nanos, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return snap, asOf, nil
	}
	snap = orchestrator.Snapshot{Commit: orchestrator.ObjectID(f[0]), Tree: orchestrator.ObjectID(f[1]), Parent: orchestrator.ObjectID(f[2])}
	return snap, time.Unix(0, nanos), index
}

// remember keeps a snapshot, and the files in which it differs from the base, for
// the next one: what has not changed since then is neither read nor stored again.
func (e *Engine) remember(chat orchestrator.ChatID, snap orchestrator.Snapshot, changed *dircache.Index) error {
	index, err := changed.Encode()
	if err != nil {
		return err
	}
	line := fmt.Appendf(nil, "%s %s %s %d\n", snap.Commit, snap.Tree, snap.Parent, changed.AsOf().UnixNano())
	return renameInto(e.newestFile(chat), append(line, index...))
}

// changedSince returns the files in which the newest snapshot differs from the
// base, or an empty index where that is not remembered.
func (e *Engine) changedSince(chat orchestrator.ChatID, prev orchestrator.Snapshot, format objectid.Format) *dircache.Index {
	none := dircache.New(format, time.Time{})
	if prev.Commit == "" {
		return none
	}
	content, err := os.ReadFile(e.newestFile(chat))
	if err != nil {
		return none
	}
	snap, asOf, encoded := parseNewest(content)
	if snap.Commit != prev.Commit {
		return none
	}
	if index, err := dircache.Parse(encoded, format, asOf); err == nil {
		return index
	}
	return none
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
