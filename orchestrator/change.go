package orchestrator

import "time"

// FileMode is git's mode of a tree entry.
type FileMode uint32

// The modes that git knows; 0 means that there is no entry.
const (
	ModeNone    FileMode = 0
	ModeRegular FileMode = 0o100644
	ModeExec    FileMode = 0o100755
	ModeSymlink FileMode = 0o120000
	ModeGitlink FileMode = 0o160000
)

// Entry is one side of a path: its mode and object, or the zero value where
// the path is not.
type Entry struct {
	Mode FileMode
	ID   ObjectID
}

// Exists reports whether the path is there on this side.
func (e Entry) Exists() bool { return e.Mode != ModeNone }

// Reading is a file as it was read: how git would record it, and, where that is
// known, the id of a blob of its very bytes.
type Reading struct {
	Entry
	Raw ObjectID
}

// FileChange is one path that differs between two trees.
type FileChange struct {
	Path    Path
	Old     Entry
	New     Entry
	Added   int // lines; 0 when binary
	Deleted int
	Binary  bool
}

// Op names the change.
func (c FileChange) Op() ChangeOp { return OpOf(c.Old, c.New) }

// ChangeOp names what happened to a path.
type ChangeOp string

// The operations.
const (
	OpCreate ChangeOp = "create"
	OpEdit   ChangeOp = "edit"
	OpDelete ChangeOp = "delete"
	OpMode   ChangeOp = "mode" // only the executable bit
	OpType   ChangeOp = "type" // file, symlink or submodule became another of these
)

// OpOf names the step from one entry to another.
func OpOf(old, new Entry) ChangeOp {
	kind := func(m FileMode) FileMode { return m & 0o170000 }
	switch {
	case !old.Exists():
		return OpCreate
	case !new.Exists():
		return OpDelete
	case kind(old.Mode) != kind(new.Mode):
		return OpType
	case old.ID == new.ID:
		return OpMode
	}
	return OpEdit
}

// Change is one path that differs between a chat's baseline and its newest
// snapshot, with those who made it so.
type Change struct {
	ID   ChangeID
	Chat ChatID
	FileChange
	State        ChangeState
	SupersededBy ChangeID
	AppliedBy    ApplyID
	Turn         TurnID         // the newest turn that touched it
	Contributors []Contribution // in the order of their turns, each pair once
	CreatedAt    time.Time
	DecidedAt    time.Time // zero while pending
	Reason       string    // given by who rejected it
}

// Contribution says that an agent, or the person, touched a path in a turn.
type Contribution struct {
	Agent AgentName
	Turn  TurnID // for the person: the turn before which the edit was found
}

// Agents returns the contributors' names, each once, in order.
func (c Change) Agents() []AgentName {
	var names []AgentName
	seen := map[AgentName]bool{}
	for _, by := range c.Contributors {
		if !seen[by.Agent] {
			seen[by.Agent] = true
			names = append(names, by.Agent)
		}
	}
	return names
}

// ChangeState is where a change is in its life; see the package comment.
type ChangeState string

// The states of a change.
const (
	ChangePending    ChangeState = "pending"
	ChangeSuperseded ChangeState = "superseded"
	ChangeApplied    ChangeState = "applied"
	ChangeRejected   ChangeState = "rejected"
	ChangeConflict   ChangeState = "conflict"
	ChangeReverted   ChangeState = "reverted"
)

// Stat counts the change.
func (c FileChange) Stat() FileStat {
	return FileStat{Path: c.Path, Op: c.Op(), Added: c.Added, Deleted: c.Deleted, Binary: c.Binary}
}
