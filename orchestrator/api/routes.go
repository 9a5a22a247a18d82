package api

import (
	"context"

	"boo/orchestrator"
)

// The table: a row for each method of the Service.
var (
	rowSend = call[orchestrator.SendRequest, orchestrator.Sent]{
		route: "POST /v1/send", do: orchestrator.Service.Send, changes: true, limit: maxSets,
	}
	rowCreate = call[orchestrator.CreateRequest, orchestrator.ChatSummary]{
		route: "POST /v1/create", do: orchestrator.Service.CreateChat, changes: true,
	}
	rowStop = call[stopIn, none]{
		route: "POST /v1/stop", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in stopIn) (none, error) {
			return none{}, svc.Stop(ctx, in.Turn, in.Now)
		},
	}
	rowAnswer = call[answerIn, none]{
		route: "POST /v1/answer", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in answerIn) (none, error) {
			return none{}, svc.Answer(ctx, in.Permission, in.Answer)
		},
	}
	rowPermissions = call[permissionsIn, []orchestrator.OpenPermission]{
		route: "POST /v1/permissions",
		do: func(svc orchestrator.Service, ctx context.Context, in permissionsIn) ([]orchestrator.OpenPermission, error) {
			return svc.Permissions(ctx, in.Ref, in.All)
		},
	}
	rowChats = call[orchestrator.ChatsRequest, []orchestrator.ChatSummary]{route: "POST /v1/chats", do: orchestrator.Service.Chats}
	rowChat  = call[orchestrator.ChatRef, orchestrator.ChatDetail]{route: "POST /v1/chat", do: orchestrator.Service.Chat}
	rowLog   = call[logIn, []orchestrator.Event]{
		route: "POST /v1/log",
		do: func(svc orchestrator.Service, ctx context.Context, in logIn) ([]orchestrator.Event, error) {
			return svc.Log(ctx, in.Ref, in.After, in.Limit)
		},
	}
	rowClearedLog = call[logIn, []orchestrator.Event]{
		route: "POST /v1/log/cleared",
		do: func(svc orchestrator.Service, ctx context.Context, in logIn) ([]orchestrator.Event, error) {
			return svc.ClearedLog(ctx, in.Ref, in.After, in.Limit)
		},
	}
	rowRecover = call[none, []orchestrator.Recovery]{
		route: "POST /v1/recover", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, _ none) ([]orchestrator.Recovery, error) {
			return svc.Recover(ctx)
		},
	}
	rowRestart = call[restartIn, none]{
		route: "POST /v1/restart", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in restartIn) (none, error) {
			return none{}, svc.Restart(ctx, in.Ref, in.Agent)
		},
	}
	rowStatus = call[none, orchestrator.Status]{
		route: "GET /v1/status",
		do: func(svc orchestrator.Service, ctx context.Context, _ none) (orchestrator.Status, error) {
			return svc.Status(ctx)
		},
	}
	rowUsage     = call[orchestrator.UsageBy, []orchestrator.UsageLine]{route: "POST /v1/usage", do: orchestrator.Service.Usage}
	rowWorktrees = call[worktreesIn, []orchestrator.WorktreeInfo]{
		route: "POST /v1/worktrees",
		do: func(svc orchestrator.Service, ctx context.Context, in worktreesIn) ([]orchestrator.WorktreeInfo, error) {
			return svc.WorktreeList(ctx, in.Dir, in.All)
		},
	}
	rowRepair = call[orchestrator.ChatRef, []orchestrator.WorktreeRepair]{
		route: "POST /v1/repair", do: orchestrator.Service.Repair, changes: true,
	}
	rowRisk    = call[orchestrator.ChatRef, []orchestrator.RiskVerdict]{route: "POST /v1/risk", do: orchestrator.Service.Risk}
	rowArchive = call[archiveIn, orchestrator.Archived]{
		route: "POST /v1/archive", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in archiveIn) (orchestrator.Archived, error) {
			return svc.Archive(ctx, in.Ref, in.Force)
		},
	}
	rowUnarchive  = call[orchestrator.ChatRef, orchestrator.Worktree]{route: "POST /v1/unarchive", do: orchestrator.Service.Unarchive, changes: true}
	rowTurnEvents = follow[orchestrator.TurnID]{
		route: "GET /v1/turns/{id}/events", parse: orchestrator.ParseTurnID, do: orchestrator.Service.Follow,
	}
	rowChatEvents = follow[orchestrator.ChatID]{
		route: "GET /v1/chats/{id}/events", parse: orchestrator.ParseChatID, do: orchestrator.Service.FollowChat,
	}
)

// The rows about the record.
var (
	rowRebuild = call[rebuildIn, rebuildOut]{
		route: "POST /v1/rebuild", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in rebuildIn) (rebuildOut, error) {
			path, err := svc.RebuildLog(ctx, in.Ref, in.Environ)
			return rebuildOut{path}, err
		},
	}
)

// The rows about changes.
var (
	rowChanges = call[orchestrator.ChangeSelector, []orchestrator.Change]{route: "POST /v1/changes", do: orchestrator.Service.Changes}
	rowReview  = call[orchestrator.ReviewSelector, []orchestrator.ChangeSet]{route: "POST /v1/review", do: orchestrator.Service.Review}
	rowHunks   = call[orchestrator.ChangeSelector, []orchestrator.ChangeHunks]{route: "POST /v1/hunks", do: orchestrator.Service.Hunks}
	rowDangers = call[orchestrator.ChangeSet, map[orchestrator.Path]orchestrator.PathConflict]{
		route: "POST /v1/dangers", do: orchestrator.Service.Dangers, limit: maxSets,
	}
	rowDiff  = diffCall{route: "POST /v1/diff"}
	rowBlame = call[blameIn, orchestrator.BlamedFile]{
		route: "POST /v1/blame",
		do: func(svc orchestrator.Service, ctx context.Context, in blameIn) (orchestrator.BlamedFile, error) {
			return svc.Blame(ctx, in.Ref, in.File)
		},
	}
	rowConflicts = call[orchestrator.ReviewSelector, []orchestrator.Collision]{
		route: "POST /v1/conflicts", do: orchestrator.Service.Conflicts,
	}
	rowApply = call[applyIn, orchestrator.ApplyResult]{
		route: "POST /v1/apply", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in applyIn) (orchestrator.ApplyResult, error) {
			return svc.Apply(ctx, in.Selector, in.Options)
		},
	}
	rowReject = waitingCall[rejectIn, orchestrator.ApplyResult]{
		route: "POST /v1/reject",
		do: func(svc orchestrator.Service, ctx context.Context, in rejectIn, waiting func()) (orchestrator.ApplyResult, error) {
			in.Options.Waiting = waiting
			return svc.Reject(ctx, in.Selector, in.Options)
		},
	}
	rowUndo = waitingCall[undoIn, orchestrator.ApplyResult]{
		route: "POST /v1/undo",
		do: func(svc orchestrator.Service, ctx context.Context, in undoIn, waiting func()) (orchestrator.ApplyResult, error) {
			return svc.Undo(ctx, in.Dir, waiting)
		},
	}
)

// The rows about the end of chats.
var (
	rowClose = call[closeIn, orchestrator.ClosedChat]{
		route: "POST /v1/close", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in closeIn) (orchestrator.ClosedChat, error) {
			return svc.CloseChat(ctx, in.Ref, in.Options)
		},
	}
	rowReopen = call[orchestrator.ChatRef, orchestrator.ReopenedChat]{route: "POST /v1/reopen", do: orchestrator.Service.ReopenChat, changes: true}
	rowRemove = call[closeIn, orchestrator.ClosedChat]{
		route: "POST /v1/remove", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in closeIn) (orchestrator.ClosedChat, error) {
			return svc.RemoveChat(ctx, in.Ref, in.Options)
		},
	}
	rowReset = waitingCall[resetIn, orchestrator.ResetResult]{
		route: "POST /v1/reset",
		do: func(svc orchestrator.Service, ctx context.Context, in resetIn, waiting func()) (orchestrator.ResetResult, error) {
			in.Options.Waiting = waiting
			return svc.ResetChat(ctx, in.Ref, in.Options)
		},
	}
)

// The rows about turns and checkpoints.
var (
	rowTurn        = call[orchestrator.TurnID, orchestrator.TurnDetail]{route: "POST /v1/turn", do: orchestrator.Service.Turn}
	rowCheckpoints = call[orchestrator.CheckpointSelector, []orchestrator.CheckpointState]{
		route: "POST /v1/checkpoints", do: orchestrator.Service.Checkpoints,
	}
	rowVerify = call[orchestrator.CheckpointSelector, orchestrator.CheckpointReport]{
		route: "POST /v1/checkpoints/verify", do: orchestrator.Service.VerifyCheckpoints, changes: true,
	}
	rowDrop = call[dropIn, int]{
		route: "POST /v1/checkpoints/drop", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in dropIn) (int, error) {
			return svc.DropCheckpoints(ctx, in.Selector, in.Keep)
		},
	}
	rowImport = call[[]orchestrator.Checkpoint, []orchestrator.CheckpointImport]{
		route: "POST /v1/checkpoints/import", do: orchestrator.Service.ImportCheckpoints, changes: true, limit: maxSets,
	}
)

// rows is all of the table.
func rows() []row {
	return []row{
		rowSend, rowCreate, rowUsage, rowRebuild, rowStop, rowAnswer, rowPermissions, rowChats, rowChat, rowLog, rowClearedLog, rowRecover, rowRestart, rowStatus, rowTurnEvents, rowChatEvents,
		rowWorktrees, rowRepair, rowRisk, rowArchive, rowUnarchive,
		rowClose, rowReopen, rowRemove, rowReset,
		rowSweep, rowReaperStatus, rowReaperLog,
		rowTurn, rowCheckpoints, rowVerify, rowDrop, rowImport,
		rowApprovals, rowApprove, rowRevoke, rowCheck,
		rowChanges, rowReview, rowHunks, rowDangers, rowDiff, rowBlame, rowConflicts, rowApply, rowReject, rowUndo,
	}
}

type none struct{}

type dropIn struct {
	Selector orchestrator.CheckpointSelector
	Keep     int
}

type stopIn struct {
	Turn orchestrator.TurnID
	Now  bool
}

type answerIn struct {
	Permission orchestrator.PermissionID
	Answer     orchestrator.PermissionAnswer
}

type permissionsIn struct {
	Ref orchestrator.ChatRef
	All bool
}

type worktreesIn struct {
	Dir string
	All bool
}

type logIn struct {
	Ref   orchestrator.ChatRef
	After orchestrator.Seq
	Limit int
}

type archiveIn struct {
	Ref   orchestrator.ChatRef
	Force bool
}

type closeIn struct {
	Ref     orchestrator.ChatRef
	Options orchestrator.CloseOptions
}

type resetIn struct {
	Ref     orchestrator.ChatRef
	Options orchestrator.ResetOptions
}

type restartIn struct {
	Ref   orchestrator.ChatRef
	Agent orchestrator.AgentName
}

type rebuildIn struct {
	Ref     orchestrator.ChatRef
	Environ []string
}

type rebuildOut struct{ Path string }

type diffIn struct {
	Set     orchestrator.ChangeSet
	Changes []orchestrator.Change
	Words   bool
}

type blameIn struct {
	Ref  orchestrator.ChatRef
	File string
}

type applyIn struct {
	Selector orchestrator.ChangeSelector
	Options  orchestrator.ApplyOptions
}

type rejectIn struct {
	Selector orchestrator.ChangeSelector
	Options  orchestrator.RejectOptions
}

type undoIn struct{ Dir string }
