package orchestrator

import "context"

// CheckpointStore keeps checkpoints. Each is compared with its digest before it
// is used.
type CheckpointStore interface {
	// LastStep returns the number of the newest checkpoint of a session in its
	// generation, damaged ones included; 0 if there is none.
	LastStep(ctx context.Context, of Session) (int64, error)
	// LatestCheckpoint returns the newest checkpoint, of the session's current
	// generation, that holds. bad are the newer ones that do not: they are set
	// aside. CodeNotFound if none holds.
	LatestCheckpoint(ctx context.Context, chat ChatID, agent AgentName) (c Checkpoint, bad []Checkpoint, err error)
	// Checkpoints lists checkpoints, the newest first, as they are stored.
	Checkpoints(ctx context.Context, q CheckpointQuery) ([]StoredCheckpoint, error)
	// SetAside marks checkpoints as damaged: nothing uses them any more.
	SetAside(ctx context.Context, bad []Checkpoint) error
	// PutCheckpoint stores one that was lost. It replaces one that does not hold,
	// and returns false where it is there already. CodeConflict where another one
	// is there; CodeNotFound if the store has not its session in that generation,
	// its turn or its events.
	PutCheckpoint(ctx context.Context, c Checkpoint) (stored bool, err error)
	// DropCheckpoints removes those of a chat, of one agent unless that is "",
	// but the newest keep ones of each session's generation that hold, and the
	// newest one of each earlier generation. It returns how many went.
	DropCheckpoints(ctx context.Context, chat ChatID, agent AgentName, keep int) (int, error)
}

// CheckpointQuery selects checkpoints. Zero fields select everything.
type CheckpointQuery struct {
	Chat  ChatID
	Agent AgentName
	Turn  TurnID
	Step  int64
	// Current limits them to the sessions' current generations.
	Current bool
	Limit   int
}

// StoredCheckpoint is a checkpoint as it is stored.
type StoredCheckpoint struct {
	Checkpoint
	Aside bool `json:"set_aside,omitempty"` // it was found damaged
}
