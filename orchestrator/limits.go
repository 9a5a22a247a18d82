package orchestrator

import "time"

// Limits bound what a turn, or all turns of a chat together, may use. Zero
// fields set no bound.
type Limits struct {
	Tokens int64         `json:"tokens,omitempty"` // input and output, in the agent's own figures
	Cost   float64       `json:"cost,omitempty"`   // in the agent's own currency
	Time   time.Duration `json:"time_ns,omitempty"`
	Calls  int           `json:"tool_calls,omitempty"`
}

// or returns l with the bounds of other where l has none.
func (l Limits) or(other Limits) Limits {
	if l.Tokens == 0 {
		l.Tokens = other.Tokens
	}
	if l.Cost == 0 {
		l.Cost = other.Cost
	}
	if l.Time == 0 {
		l.Time = other.Time
	}
	if l.Calls == 0 {
		l.Calls = other.Calls
	}
	return l
}
