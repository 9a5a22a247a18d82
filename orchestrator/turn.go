package orchestrator

import (
	"slices"
	"time"
)

// Turn is one prompt to one agent and everything until its terminal state.
type Turn struct {
	ID      TurnID
	Chat    ChatID
	Number  int64 // 1, 2, … within the chat, in the order of sending
	Agent   AgentName
	Model   string
	Mode    string // of the agent, as asked for; "" for what its definition says
	Prompt  string
	Key     string // by which its sender knows it again; "" for none
	RetryOf TurnID // the turn whose prompt it repeats; "" for none
	State   TurnState
	Reason  string   // why it ended so, in words; "" when completed
	Hint    string   // the command that mends it, or goes on; "" if there is none
	Stop    string   // the agent's own stop reason
	Before  ObjectID // snapshot commit before the turn, "" until taken
	After   ObjectID // snapshot commit after it, "" until taken
	Rung    Rung
	Usage   Usage
	Calls   int   // of tools
	Owner   Owner // the boo process that takes it through; meaningful until terminal
	Sent    time.Time
	Started time.Time
	Ended   time.Time

	// Provisional: the turn is over, and its share is pending as a watcher saw
	// it, and so is After, until the files were compared. Corrected: that share
	// was wrong, and was replaced.
	Provisional, Corrected bool
}

// Owner identifies the boo process that runs a turn.
type Owner struct {
	BootID    string
	PID       int
	StartTime uint64
}

// TurnState is where a turn is in its life; see the package comment.
type TurnState string

// The states of a turn.
const (
	TurnQueued      TurnState = "queued"
	TurnAccepted    TurnState = "accepted"
	TurnRunning     TurnState = "running"
	TurnCancelling  TurnState = "cancelling"
	TurnCompleted   TurnState = "completed"
	TurnFailed      TurnState = "failed"
	TurnCancelled   TurnState = "cancelled"
	TurnInterrupted TurnState = "interrupted"
	TurnHalted      TurnState = "halted"
)

var turnMoves = map[TurnState][]TurnState{
	TurnQueued:     {TurnAccepted, TurnCancelled, TurnInterrupted, TurnFailed},
	TurnAccepted:   {TurnRunning, TurnCancelled, TurnInterrupted, TurnFailed},
	TurnRunning:    {TurnCompleted, TurnFailed, TurnCancelling, TurnCancelled, TurnInterrupted, TurnHalted},
	TurnCancelling: {TurnCancelled, TurnInterrupted},
}

// CanBecome reports whether a turn may go from s to next in one step.
func (s TurnState) CanBecome(next TurnState) bool { return slices.Contains(turnMoves[s], next) }

// Terminal reports whether a turn in state s is over.
func (s TurnState) Terminal() bool { return len(turnMoves[s]) == 0 }

// From returns the states from which a turn may become s.
func (s TurnState) From() []TurnState {
	var from []TurnState
	for _, state := range []TurnState{TurnQueued, TurnAccepted, TurnRunning, TurnCancelling} {
		if state.CanBecome(s) {
			from = append(from, state)
		}
	}
	return from
}
