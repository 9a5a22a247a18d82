package doctor

import (
	"context"

	"boo/orchestrator"
)

// Rows is what the store knows. Package store implements it.
type Rows interface {
	// Check returns what is damaged in the store.
	Check(ctx context.Context) ([]string, error)
	Chats(ctx context.Context, q orchestrator.ChatQuery) ([]orchestrator.ChatSummary, error)
	Spares(ctx context.Context) ([]orchestrator.Spare, error)
	Sizes(ctx context.Context) (map[orchestrator.ChatID]orchestrator.TreeSize, error)
	OpenTurns(ctx context.Context) ([]orchestrator.Turn, error)
	Turn(ctx context.Context, id orchestrator.TurnID) (orchestrator.Turn, error)
	// LastTurn returns the newest turn that q selects, else CodeNotFound.
	LastTurn(ctx context.Context, q orchestrator.TurnQuery) (orchestrator.Turn, error)
	Processes(ctx context.Context) ([]orchestrator.Process, error)
}

// Trees is what git and the disk know. Package worktree implements it.
type Trees interface {
	Version(ctx context.Context) (string, error)
	Verify(ctx context.Context, wt orchestrator.Worktree) error
	// Chats lists the chats that a repository holds refs of.
	Chats(ctx context.Context, common orchestrator.GitDir) ([]orchestrator.ChatID, error)
	// Heads returns the newest snapshot of every chat that a repository holds one of.
	Heads(ctx context.Context, common orchestrator.GitDir) (map[orchestrator.ChatID]orchestrator.ObjectID, error)
	// Homeless says why a worktree has no repository any more; "" if it has one.
	Homeless(ctx context.Context, wt orchestrator.Worktree) string
	// PutHead makes a commit the newest snapshot of a chat again whose ref is gone.
	PutHead(ctx context.Context, wt orchestrator.Worktree, commit orchestrator.ObjectID) error
	// Mirrors lists the remotes to which a push takes boo's refs too.
	Mirrors(ctx context.Context, common orchestrator.GitDir) ([]string, error)
	// HalfMade lists by name where the worktrees are that "git worktree add" has
	// not finished.
	HalfMade(common orchestrator.GitDir) (map[string]string, error)
}

// Patient is all that is looked at.
type Patient struct {
	Rows  Rows
	Trees Trees
	// Registered lists the worktrees that a repository knows as boo's, with where
	// it expects them.
	Registered func(common orchestrator.GitDir) (map[orchestrator.ChatID]string, error)
	Alive      func(o orchestrator.Owner) bool
	Free       func(dir string) (int64, error)
	MinFree    int64
	// Private are directories that nobody else may enter.
	Private []string
	// Worktrees is where the chats' worktrees are.
	Worktrees string
	// Agents counts those that are installed.
	Agents int

	// Repair brings the worktree of a chat back, or says why it cannot.
	Repair func(ctx context.Context, chat orchestrator.ChatID) error
	// Settle settles what a boo that died has left.
	Settle func(ctx context.Context) error
}

// Examine looks at everything. An error is ctx's.
func Examine(ctx context.Context, p Patient) ([]Finding, error) {
	var l findings
	for _, look := range []func(context.Context, Patient, *findings){machine, store, interrupted, repositories, strangers} {
		if look(ctx, p, &l); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return l, nil
}
