package orchestrator

import (
	"context"
	"fmt"
)

// verdict is what becomes of a request.
type verdict struct {
	decision Decision
	kind     string
	reason   string // why, if nobody is asked
}

// consider decides a request of the turn: by the person's rules in their order,
// by what is out of bounds, by what was answered for good, by the turn's mode.
func (lt *liveTurn) consider(ctx context.Context, call ToolCall) (verdict, error) {
	e := lt.e
	wt, err := e.Store.Worktree(ctx, lt.turn.Chat)
	if err != nil {
		return verdict{}, err
	}
	standing, err := e.Store.StandingRules(ctx, lt.turn.Chat, lt.turn.Agent)
	if err != nil {
		return verdict{}, err
	}
	t := newTree(wt.Dir, e.Worktrees, e.Policy.Home)
	v := judge(claimOf(&t, call), e.Policy.Rules, standing, lt.mode)
	if v.decision == DecideAsk && lt.mode != PermissionsAsk && !lt.attended {
		v.decision, v.reason = DecideReject, "nobody is there to be asked"
	}
	return v, nil
}

func judge(c claim, rules []PermissionRule, standing []StandingRule, mode PermissionMode) verdict {
	v := verdict{kind: c.kind}
	for i, r := range rules {
		if r.matches(c) {
			v.decision, v.reason = r.decision, fmt.Sprintf("rule %d of the configuration", i+1)
			return v
		}
	}
	for _, p := range c.places {
		if p.bounds != "" {
			v.decision, v.reason = DecideReject, fmt.Sprintf("it names %s, which is %s", p.said, p.bounds)
			return v
		}
	}
	for _, r := range standing {
		if r.Kind == c.kind {
			v.decision, v.reason = DecideReject, "you have refused this for good"
			if r.Allow {
				v.decision, v.reason = DecideAllow, "you have allowed this for good"
			}
			return v
		}
	}
	switch {
	case mode == PermissionsReject:
		v.decision, v.reason = DecideReject, "nobody is there to be asked"
	case mode == PermissionsAuto && c.stays():
		v.decision, v.reason = DecideAllow, "it stays in the worktree"
	default:
		v.decision = DecideAsk
	}
	return v
}

// stays reports whether a request can be seen to stay inside of the worktree.
// That none of its places is out of bounds is known.
func (c claim) stays() bool {
	switch c.kind {
	case "read", "search", "think":
		return true
	case "execute":
		return c.command != "" && !c.opaque && !c.far
	case "edit", "delete", "move", "other":
		return len(c.places) > 0
	}
	return false
}
