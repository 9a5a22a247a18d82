package orchestrator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"
)

// Checkpoint is how far an agent has come in a chat: one is stored before each
// step, which is a tool call as the agent tells of it, and one at each turn's
// end. It holds only what has changed: the conversation is the events up to Seq,
// the files are those of Tree.
//
// A step's checkpoint is stored together with the event that tells of the call.
// Where the call waits for boo's permission, that is before it begins; an agent
// that asks for none may have begun by then, and boo being killed in the 50 ms
// that lie between loses both.
type Checkpoint struct {
	Chat       ChatID           `json:"chat"`
	Agent      AgentName        `json:"agent"`
	Generation int64            `json:"generation"` // of the session: raised by each reset
	Step       int64            `json:"step"`       // 1, 2, … in the generation, in the order of storing
	Turn       TurnID           `json:"turn"`
	Seq        Seq              `json:"seq"`                 // of the newest event that was stored by then
	NativeID   string           `json:"native_id,omitempty"` // the agent's own session
	Tree       ObjectID         `json:"tree,omitempty"`      // of the newest snapshot by then; "" if that is not known
	Status     CheckpointStatus `json:"status"`
	Reason     string           `json:"reason,omitempty"`
	At         time.Time        `json:"at"`
	Open       []OpenCall       `json:"open_calls,omitempty"`      // begun, and not ended
	More       int              `json:"more_open_calls,omitempty"` // such calls that are not in Open
	Digest     string           `json:"digest"`                    // see Sum
}

// OpenCall is a tool call that has begun. Its texts are the agent's, and cut.
type OpenCall struct {
	ID    string `json:"id"`
	Kind  string `json:"kind,omitempty"`
	Title string `json:"title,omitempty"`
	Input string `json:"input,omitempty"` // its beginning
}

// CheckpointStatus says how a session stood.
type CheckpointStatus string

// The statuses. A turn that was cut off ends with CheckpointInProgress and a
// reason: nobody knows how far it came.
const (
	CheckpointInProgress CheckpointStatus = "in_progress"
	CheckpointCompleted  CheckpointStatus = "completed"
	CheckpointFailed     CheckpointStatus = "failed"
	CheckpointHalted     CheckpointStatus = "halted"
)

// Recoverable reports whether work was cut off at the checkpoint: what was
// completed is not, and what has failed or was halted goes on when that is asked
// for only.
func (c Checkpoint) Recoverable() bool { return c.Status == CheckpointInProgress }

// Name is the checkpoint's status, with the word for its reason where there is
// one: "halted(loop)".
func (c Checkpoint) Name() string {
	word, _, ok := strings.Cut(c.Reason, ":")
	if !ok || strings.ContainsAny(word, " \t") {
		return string(c.Status)
	}
	return string(c.Status) + "(" + word + ")"
}

// Sum is the SHA-256 of everything in the checkpoint but Digest, in hexadecimal
// digits. Times count to the millisecond, as they are stored.
func (c Checkpoint) Sum() string {
	h := sha256.New()
	put(h, "boo checkpoint 1", c.Chat, c.Agent, c.Generation, c.Step, c.Turn, c.Seq, c.NativeID, c.Tree, c.Status, c.Reason, c.At.UnixMilli(), c.More, len(c.Open))
	for _, call := range c.Open {
		put(h, call.ID, call.Kind, call.Title, call.Input)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// put writes values so that no two lists of them are the same bytes.
func put(h hash.Hash, values ...any) {
	for _, v := range values {
		text := fmt.Sprint(v)
		_, _ = fmt.Fprintf(h, "%d:%s,", len(text), text) // a hash takes everything
	}
}

// Fault says why the checkpoint cannot be what was stored; "" if it can.
func (c Checkpoint) Fault() string {
	if c.Digest != c.Sum() {
		return "it does not agree with its digest"
	}
	return ""
}

// checkpoint is how the session stands after a turn that went so; nil if the
// agent was not reached. A turn that somebody stopped was halted.
func (out outcome) checkpoint(tree ObjectID) *Checkpoint {
	if out.book == nil {
		return nil
	}
	c := &Checkpoint{Tree: tree, Status: CheckpointFailed, Reason: out.reason}
	switch out.state {
	case TurnCompleted:
		c.Status = CheckpointCompleted
	case TurnHalted:
		c.Status = CheckpointHalted
	case TurnCancelled:
		c.Status, c.Reason = CheckpointHalted, "stopped: "+out.reason
	case TurnInterrupted:
		c.Status, c.Reason = CheckpointInProgress, "interrupted: "+out.reason
	}
	c.Open, c.More = out.book.unfinished()
	return c
}
