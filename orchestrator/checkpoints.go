package orchestrator

import "context"

// Checkpointing is the part of a [Service] about single turns, and about how far
// agents have come.
type Checkpointing interface {
	// Turn shows one turn.
	Turn(ctx context.Context, id TurnID) (TurnDetail, error)
	// Checkpoints lists the selected checkpoints, the newest first. Those that
	// are damaged are among them, with what is wrong.
	Checkpoints(ctx context.Context, sel CheckpointSelector) ([]CheckpointState, error)
	// VerifyCheckpoints compares every selected checkpoint with its digest,
	// whatever the selector's limit is, and sets aside what is damaged.
	VerifyCheckpoints(ctx context.Context, sel CheckpointSelector) (CheckpointReport, error)
	// DropCheckpoints removes the selected chat's checkpoints but the newest keep
	// of each session, and the newest one of each generation before a reset.
	DropCheckpoints(ctx context.Context, sel CheckpointSelector, keep int) (int, error)
	// ImportCheckpoints stores checkpoints that were lost, each by itself, and
	// says of each what became of it.
	ImportCheckpoints(ctx context.Context, list []Checkpoint) ([]CheckpointImport, error)
}

// CheckpointSelector selects checkpoints from the place a command runs in.
type CheckpointSelector struct {
	Ref   ChatRef
	All   bool      // of every chat
	Agent AgentName // "" for every one
	Old   bool      // also from before resets
	Step  int64     // 0 for every one
	Limit int       // 0 for no limit
}

// CheckpointState is a checkpoint and what can be said of it.
type CheckpointState struct {
	Checkpoint
	Fault  string `json:"fault,omitempty"`  // why it is not used
	Latest bool   `json:"latest,omitempty"` // its session goes on from here
}

// CheckpointReport is what came of comparing checkpoints with their digests.
type CheckpointReport struct {
	Checked int               `json:"checked"`
	Damaged []CheckpointState `json:"damaged"`
}

// CheckpointImport is what became of a checkpoint that was to be stored.
type CheckpointImport struct {
	Checkpoint Checkpoint `json:"checkpoint"`
	Taken      bool       `json:"taken"`
	Reason     string     `json:"reason,omitempty"` // why it was not; "" where it was there already
}

// TurnDetail is everything about one turn but its events.
type TurnDetail struct {
	Turn       Turn
	Checkpoint *CheckpointState // the turn's last one; nil if it has none
}

// Turn shows one turn; see [Checkpointing].
func (e *Engine) Turn(ctx context.Context, id TurnID) (TurnDetail, error) {
	t, err := e.Store.Turn(ctx, id)
	if err != nil {
		return TurnDetail{}, err
	}
	d := TurnDetail{Turn: t}
	list, err := e.Store.Checkpoints(ctx, CheckpointQuery{Turn: id, Limit: 1})
	if err == nil && len(list) > 0 {
		c := list[0].state()
		d.Checkpoint = &c
	}
	return d, err
}

func (c StoredCheckpoint) state() CheckpointState {
	s := CheckpointState{Checkpoint: c.Checkpoint, Fault: c.Fault()}
	if c.Aside && s.Fault == "" {
		s.Fault = "it was found damaged"
	}
	return s
}

func (e *Engine) checkpointQuery(ctx context.Context, sel CheckpointSelector) (CheckpointQuery, error) {
	q := CheckpointQuery{Agent: sel.Agent, Step: sel.Step, Current: !sel.Old, Limit: sel.Limit}
	if sel.All {
		return q, nil
	}
	chat, err := e.resolve(ctx, sel.Ref)
	q.Chat = chat.ID
	return q, err
}

// Checkpoints lists checkpoints; see [Checkpointing].
func (e *Engine) Checkpoints(ctx context.Context, sel CheckpointSelector) ([]CheckpointState, error) {
	q, err := e.checkpointQuery(ctx, sel)
	if err != nil {
		return nil, err
	}
	rows, err := e.Store.Checkpoints(ctx, q)
	if err != nil {
		return nil, err
	}
	type session struct {
		chat  ChatID
		agent AgentName
	}
	latest := map[session]string{} // digests
	states := make([]CheckpointState, len(rows))
	for i, row := range rows {
		of := session{row.Chat, row.Agent}
		if _, known := latest[of]; !known {
			newest, _, err := e.Store.LatestCheckpoint(ctx, row.Chat, row.Agent)
			if err != nil && CodeOf(err) != CodeNotFound {
				return nil, err
			}
			latest[of] = newest.Digest
		}
		states[i] = row.state()
		states[i].Latest = states[i].Fault == "" && row.Digest == latest[of]
	}
	return states, nil
}

// VerifyCheckpoints looks for damaged checkpoints; see [Checkpointing].
func (e *Engine) VerifyCheckpoints(ctx context.Context, sel CheckpointSelector) (CheckpointReport, error) {
	q, err := e.checkpointQuery(ctx, sel)
	if err != nil {
		return CheckpointReport{}, err
	}
	q.Limit = 0
	rows, err := e.Store.Checkpoints(ctx, q)
	if err != nil {
		return CheckpointReport{}, err
	}
	report := CheckpointReport{Checked: len(rows)}
	var bad []Checkpoint
	for _, row := range rows {
		if s := row.state(); s.Fault != "" {
			report.Damaged, bad = append(report.Damaged, s), append(bad, row.Checkpoint)
		}
	}
	return report, e.Store.SetAside(ctx, bad)
}

// DropCheckpoints removes old checkpoints; see [Checkpointing].
func (e *Engine) DropCheckpoints(ctx context.Context, sel CheckpointSelector, keep int) (int, error) {
	if keep < 1 {
		return 0, Errorf(CodeInvalid, "at least one checkpoint is kept; nothing was removed")
	}
	chat, err := e.resolve(ctx, sel.Ref)
	if err != nil {
		return 0, err
	}
	return e.Store.DropCheckpoints(ctx, chat.ID, sel.Agent, keep)
}

// ImportCheckpoints stores lost checkpoints; see [Checkpointing].
func (e *Engine) ImportCheckpoints(ctx context.Context, list []Checkpoint) ([]CheckpointImport, error) {
	done := make([]CheckpointImport, 0, len(list))
	for _, c := range list {
		result := CheckpointImport{Checkpoint: c, Reason: c.Fault()}
		if result.Reason == "" {
			taken, err := e.Store.PutCheckpoint(ctx, c)
			code := CodeOf(err)
			if err != nil && code != CodeNotFound && code != CodeConflict {
				return done, err
			}
			if result.Taken = taken; err != nil {
				result.Reason = err.Error()
			}
		}
		done = append(done, result)
	}
	return done, nil
}
