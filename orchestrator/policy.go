package orchestrator

import "time"

// Policy is what a person has laid down about their agents' turns. The zero
// value watches over nothing and asks who is there.
type Policy struct {
	// Permissions says who answers requests that no rule decides; "" asks a
	// person who is there, and otherwise refuses.
	Permissions PermissionMode
	// AskFor is how long a person is waited for before a request is refused; 0
	// is for ever.
	AskFor time.Duration
	// Rules decide requests, the first that matches.
	Rules []PermissionRule
	// Home is the person's home directory, for rules that begin with "~/".
	Home string
	// Stall is how long an agent may give no sign of life before its turn is
	// halted; 0 is for ever.
	Stall time.Duration
	// Loop says what becomes of an agent that goes in circles; "" is LoopOff.
	Loop LoopMode
	// MaxSteps is how many tool calls a turn may begin before it is halted; 0 is
	// any number.
	MaxSteps int
	// Turn and Chat bound each turn, and all turns of a chat together.
	Turn, Chat Limits
	// OnTurnEnd is the program, with its arguments, that is told of the end of
	// each turn; none if it is empty.
	OnTurnEnd []string
}

// mode is who answers the requests of a turn.
func (p Policy) mode(req SendRequest) PermissionMode {
	switch {
	case req.Permissions != "":
		return req.Permissions
	case p.Permissions != "":
		return p.Permissions
	case req.Attended:
		return PermissionsAsk
	}
	return PermissionsReject
}
