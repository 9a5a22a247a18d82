package worktree

import (
	"bytes"
	"context"
	"path/filepath"

	"boo/orchestrator"
)

// Head returns the commit of the chat's newest snapshot, "" if there is none
// yet. It is [Engine.Newest] for those who need no more: as a rule no git is
// started.
func (e *Engine) Head(ctx context.Context, wt orchestrator.Worktree) (orchestrator.ObjectID, error) {
	head, _, _ := refsOf(wt.Chat)
	if id, ok := looseRef(wt.CommonDir, head); ok {
		return id, nil
	}
	snap, err := e.Newest(ctx, wt)
	return snap.Commit, err
}

// looseRef reads a ref that has a file of its own, which git writes whole and
// believes before anything else. Refs that are packed, or kept in another way,
// have none.
func looseRef(common orchestrator.GitDir, ref string) (orchestrator.ObjectID, bool) {
	text, err := readSmall(filepath.Join(string(common), filepath.FromSlash(ref)), 4<<10)
	if err != nil {
		return "", false
	}
	id, err := orchestrator.ParseObjectID(string(bytes.TrimSuffix(text, []byte("\n"))))
	return id, err == nil
}
