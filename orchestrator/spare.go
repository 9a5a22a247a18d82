package orchestrator

import (
	"context"
	"slices"
	"time"
)

// Spare is a worktree that is ready before there is a chat for it. It has the id
// that the chat will have, and stands where the chat's worktree will.
type Spare struct {
	Chat      ChatID
	Repo      RepoID
	Base      ObjectID
	Sparse    []string // directories that it has files of; none for all
	State     SpareState
	CreatedAt time.Time
}

// SpareState is where a spare is in its life:
//
//	making ⇄ ready ──▶ a chat's, in the transaction that stores the chat
//	   ╰──▶ gone
//
// Only who looks after the repository's spares, one process at a time, touches
// one that is in the making; a ready one is anybody's to take, and then is none
// any more. So no worktree of a chat ever becomes a spare, nor is one taken twice.
type SpareState string

// The states of a spare.
const (
	SpareMaking SpareState = "making"
	SpareReady  SpareState = "ready"
)

// SpareStore keeps spares.
type SpareStore interface {
	// PutSpare stores a spare that is about to be made.
	PutSpare(ctx context.Context, s Spare) error
	// Spares lists the spares of all repositories.
	Spares(ctx context.Context) ([]Spare, error)
	// MoveSpare gives a spare its base and the other state; CodeConflict if it
	// was in that one already, or is a spare no more.
	MoveSpare(ctx context.Context, chat ChatID, to SpareState, base ObjectID) error
	// DropSpare forgets one that is in the making; CodeConflict if it is not.
	DropSpare(ctx context.Context, chat ChatID) error
}

const (
	// spareReach is how many files may differ between a spare's base and that of
	// the chat that takes it.
	spareReach = 1000
	// spareAge is how long a repository is taken to be in use after a chat in it
	// was used.
	spareAge = 7 * 24 * time.Hour
)

// spareFor picks the spare that a new chat is to take, and so the id of the chat;
// a fresh id where there is none.
func (e *Engine) spareFor(ctx context.Context, repo Repo, base ObjectID, sparse []string) (chat ChatID, taken bool) {
	chat = NewChatID()
	if e.Spares == 0 {
		return chat, false
	}
	all, err := e.Store.Spares(ctx)
	if err != nil {
		return chat, false
	}
	var behind []Spare
	for _, s := range all {
		switch {
		case s.Repo != repo.ID || s.State != SpareReady || !slices.Equal(s.Sparse, sparse):
		case s.Base == base:
			return s.Chat, true
		default:
			behind = append(behind, s)
		}
	}
	for _, s := range behind {
		if changes, err := e.Trees.Diff(ctx, repo.CommonDir, s.Base, base); err == nil && len(changes) <= spareReach {
			return s.Chat, true
		}
	}
	return chat, false
}

// withoutSpare gives a chat that was to take a spare an id of its own.
func (e *Engine) withoutSpare(c *NewChat) {
	c.Spare = false
	c.Chat.ID = NewChatID()
	c.Worktree.Chat, c.Worktree.Dir = c.Chat.ID, e.worktreeDir(c.Chat.Repo, c.Chat.ID)
}
