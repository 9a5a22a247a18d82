package worktree

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// worktreeHeadRef holds the commit that the HEAD of a chat's worktree is at,
// where that is not the base.
func worktreeHeadRef(chat orchestrator.ChatID) string { return chatRefs(chat) + "worktree-head" }

// leftRef holds a commit that HEAD was at and has left behind.
func leftRef(chat orchestrator.ChatID, commit orchestrator.ObjectID) string {
	return chatRefs(chat) + "left/" + string(commit)
}

// keepHead makes sure that what is committed in the worktree is reachable from
// refs of boo's: where HEAD is now, and, where it went somewhere else, also
// where it was. HEAD itself is only read. Without a move of HEAD it costs two
// small reads. A HEAD that names no commit has nothing to be kept.
func (e *Engine) keepHead(ctx context.Context, wt orchestrator.Worktree) error {
	head, err := readHead(string(adminOf(wt)))
	if err != nil || len(head) != len(wt.Base) {
		return nil
	}
	// That the refs say so is not asked again: the packed ones cost a scan.
	kept := filepath.Join(e.chatDir(wt.Chat), "kept")
	if known, err := readSmall(kept, 4<<10); err == nil && strings.TrimSpace(string(known)) == string(head) {
		return nil
	}
	if err := e.moveHeadRef(ctx, wt, head); err != nil {
		return fmt.Errorf("keep the commits of chat %s: %w", wt.Chat, err)
	}
	_ = replaceFile(kept, []byte(head+"\n")) // it only spares looking again
	return nil
}

// moveHeadRef takes the ref to where HEAD is now.
func (e *Engine) moveHeadRef(ctx context.Context, wt orchestrator.Worktree, head orchestrator.ObjectID) error {
	name := worktreeHeadRef(wt.Chat)
	old, err := e.refCommit(ctx, wt.CommonDir, name)
	if err != nil || head == cmp.Or(old, wt.Base) {
		return err
	}
	// A ref to nothing would break every later git gc of the person's.
	there, err := e.isCommit(ctx, wt.CommonDir, head)
	if err != nil || !there {
		return err
	}
	left := []orchestrator.ObjectID{old}
	for _, operation := range []string{"rebase-merge", "rebase-apply"} {
		content, err := readSmall(filepath.Join(string(adminOf(wt)), operation, "orig-head"), 4<<10)
		if id, parseErr := orchestrator.ParseObjectID(strings.TrimSpace(string(content))); err == nil && parseErr == nil {
			left = append(left, id)
		}
	}
	for _, commit := range left {
		if err := e.leave(ctx, wt, commit, head); err != nil {
			return err
		}
	}
	if head == wt.Base {
		head = ""
	}
	return e.MoveRef(ctx, wt.CommonDir, name, old, head)
}

// leave holds a commit that HEAD was at, unless it is part of what HEAD is at
// now.
func (e *Engine) leave(ctx context.Context, wt orchestrator.Worktree, commit, head orchestrator.ObjectID) error {
	if commit == "" || len(commit) != len(wt.Base) {
		return nil
	}
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return err
	}
	_, err = e.git.Run(ctx, r.call("merge-base", "--is-ancestor", string(commit), string(head)))
	switch {
	case err == nil || exited(err, 128): // there already, or no commit
		return nil
	case !exited(err, 1):
		return err
	}
	name := leftRef(wt.Chat, commit)
	now, err := e.refCommit(ctx, wt.CommonDir, name)
	if err != nil || now == commit {
		return err
	}
	return e.MoveRef(ctx, wt.CommonDir, name, now, commit)
}

// isCommit reports whether the repository has that commit.
func (e *Engine) isCommit(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID) (bool, error) {
	r, err := e.plain(common, id)
	if err != nil {
		return false, err
	}
	_, err = e.git.Run(ctx, r.call("cat-file", "-e", string(id)+"^{commit}"))
	if exited(err, 1, 128) {
		return false, nil
	}
	return err == nil, err
}

// lastHead returns the commit that HEAD of a worktree is to be put back to:
// where it is, if that is known still, or was when the newest snapshot was
// taken.
func (e *Engine) lastHead(ctx context.Context, wt orchestrator.Worktree) (orchestrator.ObjectID, error) {
	if head, err := readHead(string(adminOf(wt))); err == nil && len(head) == len(wt.Base) {
		there, err := e.isCommit(ctx, wt.CommonDir, head)
		if err != nil || there {
			return head, err
		}
	}
	kept, err := e.refCommit(ctx, wt.CommonDir, worktreeHeadRef(wt.Chat))
	return cmp.Or(kept, wt.Base), err
}
