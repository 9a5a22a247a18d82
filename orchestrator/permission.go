package orchestrator

import "time"

// PermissionMode says who answers what no rule decides.
type PermissionMode string

// The modes. In all of them what is outside of the chat's worktree is refused,
// unless a rule names it.
const (
	// PermissionsAsk asks a person, in the terminal that sent the prompt or
	// through "boo permit", and waits for them.
	PermissionsAsk PermissionMode = "ask"
	// PermissionsReject refuses.
	PermissionsReject PermissionMode = "reject"
	// PermissionsAuto allows what can be seen to stay inside of the worktree.
	// The rest is asked if a person is there, and refused if none is.
	PermissionsAuto PermissionMode = "auto"
)

// ParsePermissionMode accepts a mode, or "" for the default: ask if a person
// is there, else reject.
func ParsePermissionMode(s string) (PermissionMode, error) {
	switch m := PermissionMode(s); m {
	case "", PermissionsAsk, PermissionsReject, PermissionsAuto:
		return m, nil
	}
	return "", Errorf(CodeInvalid, "there is no permission mode %q; there is: ask, reject, auto", s)
}

// OpenPermission is a request that waits for an answer.
type OpenPermission struct {
	Permission
	Chat  ChatID    `json:"chat"`
	Turn  TurnID    `json:"turn"`
	Agent AgentName `json:"agent"`
	Asked time.Time `json:"asked_at"`
}

// PermissionAnswer is a person's word on an open request.
type PermissionAnswer struct {
	Allow bool `json:"allow"`
	// Always has boo answer every later request of the same kind, by the same
	// agent in the same chat, the same way. It never reaches outside of the
	// worktree.
	Always bool `json:"always,omitempty"`
	// Option is the id of the agent's option to answer with, in place of Allow:
	// what it is decides whether the request is allowed. "" leaves the choice to
	// boo, which goes by the kinds of the options.
	Option string `json:"option,omitempty"`
}

// StandingRule is an answer that was given for good in one chat, to one agent.
type StandingRule struct {
	Kind  string // of the request, as boo sees it
	Allow bool
}
