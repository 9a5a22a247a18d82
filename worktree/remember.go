package worktree

import (
	"bytes"
	"fmt"
	"hash/crc32"
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
	snap, _, _, _ := parseNewest(start[:n])
	return snap
}

// parseNewest takes the file apart; asOf is when the index was true, which is to
// have that sum. A line without its own sum was not written to its end.
func parseNewest(content []byte) (snap orchestrator.Snapshot, asOf time.Time, sum string, index []byte) {
	line, index, _ := bytes.Cut(content, []byte("\n"))
	f := strings.Fields(string(line))
	if len(f) != 6 || !bytes.HasSuffix(line, fmt.Appendf(nil, " %08x", crc32.ChecksumIEEE(line[:len(line)-len(f[5])-1]))) {
		return snap, asOf, "", nil
	}
	nanos, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return snap, asOf, "", nil
	}
	snap = orchestrator.Snapshot{Commit: orchestrator.ObjectID(f[0]), Tree: orchestrator.ObjectID(f[1]), Parent: orchestrator.ObjectID(f[2])}
	return snap, time.Unix(0, nanos), f[4], index
}

// remember keeps a snapshot, and the files in which it differs from the base, for
// the next one: what has not changed since then is neither read nor stored again.
func (e *Engine) remember(chat orchestrator.ChatID, snap orchestrator.Snapshot, changed *dircache.Index) error {
	index, err := changed.Encode()
	if err != nil {
		return err
	}
	line := fmt.Appendf(nil, "%s %s %s %d %08x", snap.Commit, snap.Tree, snap.Parent, changed.AsOf().UnixNano(), crc32.ChecksumIEEE(index))
	line = fmt.Appendf(line, " %08x\n", crc32.ChecksumIEEE(line))
	return recycleInto(e.newestFile(chat), append(line, index...))
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
	snap, asOf, sum, encoded := parseNewest(content)
	if snap.Commit != prev.Commit || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE(encoded)) {
		return none
	}
	if index, err := dircache.Parse(encoded, format, asOf); err == nil {
		return index
	}
	return none
}
