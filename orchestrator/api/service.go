package api

import (
	"context"
	"io"

	"boo/orchestrator"
)

// Send implements [orchestrator.Service].
func (c *Client) Send(ctx context.Context, req orchestrator.SendRequest) (orchestrator.Sent, error) {
	return rowSend.on(ctx, c, req)
}

// CreateChat implements [orchestrator.Service].
func (c *Client) CreateChat(ctx context.Context, req orchestrator.CreateRequest) (orchestrator.ChatSummary, error) {
	return rowCreate.on(ctx, c, req)
}

// Stop implements [orchestrator.Service].
func (c *Client) Stop(ctx context.Context, turn orchestrator.TurnID, now bool) error {
	_, err := rowStop.on(ctx, c, stopIn{turn, now})
	return err
}

// Answer implements [orchestrator.Service].
func (c *Client) Answer(ctx context.Context, id orchestrator.PermissionID, a orchestrator.PermissionAnswer) error {
	_, err := rowAnswer.on(ctx, c, answerIn{id, a})
	return err
}

// Permissions implements [orchestrator.Service].
func (c *Client) Permissions(ctx context.Context, ref orchestrator.ChatRef, all bool) ([]orchestrator.OpenPermission, error) {
	return rowPermissions.on(ctx, c, permissionsIn{ref, all})
}

// Chats implements [orchestrator.Service].
func (c *Client) Chats(ctx context.Context, req orchestrator.ChatsRequest) ([]orchestrator.ChatSummary, error) {
	return rowChats.on(ctx, c, req)
}

// Chat implements [orchestrator.Service].
func (c *Client) Chat(ctx context.Context, ref orchestrator.ChatRef) (orchestrator.ChatDetail, error) {
	return rowChat.on(ctx, c, ref)
}

// Log implements [orchestrator.Service].
func (c *Client) Log(ctx context.Context, ref orchestrator.ChatRef, after orchestrator.Seq, limit int) ([]orchestrator.Event, error) {
	return rowLog.on(ctx, c, logIn{ref, after, limit})
}

// ClearedLog implements [orchestrator.Service].
func (c *Client) ClearedLog(ctx context.Context, ref orchestrator.ChatRef, after orchestrator.Seq, limit int) ([]orchestrator.Event, error) {
	return rowClearedLog.on(ctx, c, logIn{ref, after, limit})
}

// Recover implements [orchestrator.Service].
func (c *Client) Recover(ctx context.Context) ([]orchestrator.Recovery, error) {
	return rowRecover.on(ctx, c, none{})
}

// Restart implements [orchestrator.Service].
func (c *Client) Restart(ctx context.Context, ref orchestrator.ChatRef, agent orchestrator.AgentName) error {
	_, err := rowRestart.on(ctx, c, restartIn{ref, agent})
	return err
}

// Status implements [orchestrator.Service].
func (c *Client) Status(ctx context.Context) (orchestrator.Status, error) {
	return rowStatus.on(ctx, c, none{})
}

// RebuildLog implements [orchestrator.Service].
func (c *Client) RebuildLog(ctx context.Context, ref orchestrator.ChatRef, environ []string) (string, error) {
	out, err := rowRebuild.on(ctx, c, rebuildIn{ref, environ})
	return out.Path, err
}

// Usage implements [orchestrator.Service].
func (c *Client) Usage(ctx context.Context, by orchestrator.UsageBy) ([]orchestrator.UsageLine, error) {
	return rowUsage.on(ctx, c, by)
}

// WorktreeList implements [orchestrator.Service].
func (c *Client) WorktreeList(ctx context.Context, dir string, all bool) ([]orchestrator.WorktreeInfo, error) {
	return rowWorktrees.on(ctx, c, worktreesIn{dir, all})
}

// Repair implements [orchestrator.Service].
func (c *Client) Repair(ctx context.Context, ref orchestrator.ChatRef) ([]orchestrator.WorktreeRepair, error) {
	return rowRepair.on(ctx, c, ref)
}

// Risk implements [orchestrator.Service].
func (c *Client) Risk(ctx context.Context, ref orchestrator.ChatRef) ([]orchestrator.RiskVerdict, error) {
	return rowRisk.on(ctx, c, ref)
}

// Archive implements [orchestrator.Service].
func (c *Client) Archive(ctx context.Context, ref orchestrator.ChatRef, force bool) (orchestrator.Archived, error) {
	return rowArchive.on(ctx, c, archiveIn{ref, force})
}

// Unarchive implements [orchestrator.Service].
func (c *Client) Unarchive(ctx context.Context, ref orchestrator.ChatRef) (orchestrator.Worktree, error) {
	return rowUnarchive.on(ctx, c, ref)
}

// CloseChat implements [orchestrator.Closing].
func (c *Client) CloseChat(ctx context.Context, ref orchestrator.ChatRef, opts orchestrator.CloseOptions) (orchestrator.ClosedChat, error) {
	return rowClose.on(ctx, c, closeIn{ref, opts})
}

// ReopenChat implements [orchestrator.Closing].
func (c *Client) ReopenChat(ctx context.Context, ref orchestrator.ChatRef) (orchestrator.ReopenedChat, error) {
	return rowReopen.on(ctx, c, ref)
}

// RemoveChat implements [orchestrator.Closing].
func (c *Client) RemoveChat(ctx context.Context, ref orchestrator.ChatRef, opts orchestrator.CloseOptions) (orchestrator.ClosedChat, error) {
	return rowRemove.on(ctx, c, closeIn{ref, opts})
}

// ResetChat implements [orchestrator.Closing].
func (c *Client) ResetChat(ctx context.Context, ref orchestrator.ChatRef, opts orchestrator.ResetOptions) (orchestrator.ResetResult, error) {
	return rowReset.on(ctx, c, resetIn{ref, opts}, opts.Waiting)
}

// Follow implements [orchestrator.Service]. It reconnects by itself, also to
// another daemon.
func (c *Client) Follow(ctx context.Context, turn orchestrator.TurnID, after orchestrator.Seq, yield func(orchestrator.Event) error) error {
	return rowTurnEvents.on(ctx, c, turn, after, yield)
}

// FollowChat implements [orchestrator.Service]. It reconnects by itself, also
// to another daemon, and so does not end with one.
func (c *Client) FollowChat(ctx context.Context, chat orchestrator.ChatID, after orchestrator.Seq, yield func(orchestrator.Event) error) error {
	return rowChatEvents.on(ctx, c, chat, after, yield)
}

// Changes implements [orchestrator.Service].
func (c *Client) Changes(ctx context.Context, sel orchestrator.ChangeSelector) ([]orchestrator.Change, error) {
	return rowChanges.on(ctx, c, sel)
}

// Review implements [orchestrator.Reviews].
func (c *Client) Review(ctx context.Context, sel orchestrator.ReviewSelector) ([]orchestrator.ChangeSet, error) {
	return rowReview.on(ctx, c, sel)
}

// Hunks implements [orchestrator.Service].
func (c *Client) Hunks(ctx context.Context, sel orchestrator.ChangeSelector) ([]orchestrator.ChangeHunks, error) {
	return rowHunks.on(ctx, c, sel)
}

// Dangers implements [orchestrator.Service].
func (c *Client) Dangers(ctx context.Context, set orchestrator.ChangeSet) (map[orchestrator.Path]orchestrator.PathConflict, error) {
	return rowDangers.on(ctx, c, set)
}

// WriteDiff implements [orchestrator.Reviews].
func (c *Client) WriteDiff(ctx context.Context, w io.Writer, set orchestrator.ChangeSet, changes []orchestrator.Change, words bool) error {
	return rowDiff.on(ctx, c, w, diffIn{set, changes, words})
}

// Blame implements [orchestrator.Reviews].
func (c *Client) Blame(ctx context.Context, ref orchestrator.ChatRef, file string) (orchestrator.BlamedFile, error) {
	return rowBlame.on(ctx, c, blameIn{ref, file})
}

// Conflicts implements [orchestrator.Reviews].
func (c *Client) Conflicts(ctx context.Context, sel orchestrator.ReviewSelector) ([]orchestrator.Collision, error) {
	return rowConflicts.on(ctx, c, sel)
}

// Apply implements [orchestrator.Service].
func (c *Client) Apply(ctx context.Context, sel orchestrator.ChangeSelector, opts orchestrator.ApplyOptions) (orchestrator.ApplyResult, error) {
	return rowApply.on(ctx, c, applyIn{sel, opts})
}

// Reject implements [orchestrator.Service].
func (c *Client) Reject(ctx context.Context, sel orchestrator.ChangeSelector, opts orchestrator.RejectOptions) (orchestrator.ApplyResult, error) {
	return rowReject.on(ctx, c, rejectIn{sel, opts}, opts.Waiting)
}

// Undo implements [orchestrator.Service].
func (c *Client) Undo(ctx context.Context, dir string, waiting func()) (orchestrator.ApplyResult, error) {
	return rowUndo.on(ctx, c, undoIn{dir}, waiting)
}
