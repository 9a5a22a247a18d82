package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PermissionCancelled is the outcome of a request that was answered neither
// way: the turn ended first, or the agent offers no way to say no.
const PermissionCancelled = "cancelled"

// Who answered a request; see [Permission.By].
const (
	ByPerson  = "person"
	ByPolicy  = "policy"
	ByTurnEnd = "turn ended"
)

// openRequest is a request that a goroutine of this process waits with.
type openRequest struct {
	OpenPermission
	answer chan string // holds the one outcome, which is on disk
}

// permit answers one request of the agent's: by rule, by mode, or by the
// person. Request and answer are on disk before the answer goes out.
func (lt *liveTurn) permit(ctx context.Context, p Permission) (string, error) {
	lt.catchUp() // what led to the request stands before it in the log
	p.ID = NewPermissionID()
	v, err := lt.consider(ctx, p.Tool)
	if err != nil {
		return PermissionCancelled, err
	}
	p.Kind, p.Reason = v.kind, v.reason
	asked := OpenPermission{Permission: p, Chat: lt.turn.Chat, Turn: lt.turn.ID, Agent: lt.turn.Agent, Asked: lt.e.Now()}
	if v.decision == DecideAsk {
		return lt.ask(ctx, asked)
	}
	asked.By = ByPolicy
	asked.Outcome, err = optionFor(p.Options, PermissionAnswer{Allow: v.decision == DecideAllow})
	if err != nil {
		asked.Outcome, asked.Reason = rejection(p.Options), err.Error()
	}
	return asked.Outcome, lt.tell(ctx, asked)
}

// ask waits for a person's answer.
func (lt *liveTurn) ask(ctx context.Context, asked OpenPermission) (string, error) {
	open := &openRequest{OpenPermission: asked, answer: make(chan string, 1)}
	lt.e.mu.Lock()
	lt.e.permissions[asked.ID] = open
	lt.e.mu.Unlock()
	defer func() {
		lt.e.mu.Lock()
		delete(lt.e.permissions, asked.ID)
		lt.e.mu.Unlock()
	}()
	lt.asking.Add(1)
	defer lt.asking.Add(-1)
	if err := lt.tell(ctx, asked); err != nil {
		return PermissionCancelled, err
	}
	var late <-chan time.Time
	if limit := lt.e.Policy.AskFor; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case outcome := <-open.answer:
		return outcome, nil
	case <-late:
		asked.Outcome, asked.By = rejection(asked.Options), ByPolicy
		asked.Reason = fmt.Sprintf("nobody answered within %s", lt.e.Policy.AskFor)
	case <-ctx.Done():
		asked.Outcome, asked.By = PermissionCancelled, ByTurnEnd
	}
	err := lt.e.decide(context.WithoutCancel(ctx), asked, nil)
	if CodeOf(err) == CodeNotFound && err != nil { // an answer came first: it is on its way
		return <-open.answer, nil
	}
	return asked.Outcome, err
}

// tell stores a request and wakes those who follow the chat.
func (lt *liveTurn) tell(ctx context.Context, p OpenPermission) error {
	err := lt.e.Store.AskPermission(ctx, p)
	lt.e.announce(lt.turn.Chat)
	return err
}

func (e *Engine) decide(ctx context.Context, p OpenPermission, rule *StandingRule) error {
	err := e.Store.DecidePermission(ctx, p, rule)
	e.announce(p.Chat)
	return err
}

// Answer answers an open permission request; see [Service.Answer].
func (e *Engine) Answer(ctx context.Context, id PermissionID, a PermissionAnswer) error {
	e.mu.Lock()
	open := e.permissions[id]
	e.mu.Unlock()
	if open == nil {
		return e.notOpenHere(ctx, id)
	}
	p := open.OpenPermission
	var err error
	if p.Outcome, err = optionFor(p.Options, a); err != nil {
		return err
	}
	p.By = ByPerson
	var rule *StandingRule
	if a.Always {
		rule = &StandingRule{Kind: p.Kind, Allow: allows(p.Options, p.Outcome)}
	}
	// Whoever comes first has it: the store takes one decision only.
	if err := e.decide(ctx, p, rule); err != nil {
		return err
	}
	open.answer <- p.Outcome
	return nil
}

// notOpenHere says why a request cannot be answered by this process.
func (e *Engine) notOpenHere(ctx context.Context, id PermissionID) error {
	all, err := e.Store.OpenPermissions(ctx, "")
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.ID != id {
			continue
		}
		t, err := e.Store.Turn(ctx, p.Turn)
		if err != nil {
			return err
		}
		if !e.abandoned(t) {
			return Errorf(CodeBusy, "permission request %s belongs to a turn that another boo (process %d) runs", id, t.Owner.PID).
				WithHint("answer it in the terminal of that one")
		}
	}
	return Errorf(CodeNotFound, "permission request %s is not open any more", id).WithHint("boo permit ls")
}

// Permissions lists open requests; see [Service.Permissions].
func (e *Engine) Permissions(ctx context.Context, ref ChatRef, all bool) ([]OpenPermission, error) {
	if all {
		return e.Store.OpenPermissions(ctx, "")
	}
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	return e.Store.OpenPermissions(ctx, chat.ID)
}

// optionFor picks the agent's option that says what was answered, by its kind:
// ids and names are the agent's own. What holds for good is boo's to remember,
// so the agent is told "once" wherever it offers that.
func optionFor(options []PermissionOption, a PermissionAnswer) (string, error) {
	if a.Option == PermissionCancelled {
		return a.Option, nil
	}
	if a.Option != "" {
		if !slices.ContainsFunc(options, func(o PermissionOption) bool { return o.ID == a.Option }) {
			return "", Errorf(CodeInvalid, "the agent offers no option %q; the request is still open", a.Option)
		}
		return a.Option, nil
	}
	if !a.Allow {
		return rejection(options), nil
	}
	if id, ok := optionOf(options, "allow_once"); ok {
		return id, nil
	}
	if id, ok := optionOf(options, "allow_always"); ok && a.Always {
		return id, nil
	}
	return "", Errorf(CodeInvalid, "the agent offers no way to allow it just this once").WithHint("boo permit allow --always, or: boo permit deny")
}

// rejection picks the option that says no.
func rejection(options []PermissionOption) string {
	for _, kind := range []string{"reject_once", "reject_always"} {
		if id, ok := optionOf(options, kind); ok {
			return id
		}
	}
	return PermissionCancelled
}

func optionOf(options []PermissionOption, kind string) (id string, ok bool) {
	i := slices.IndexFunc(options, func(o PermissionOption) bool { return o.Kind == kind })
	if i < 0 {
		return "", false
	}
	return options[i].ID, true
}

// allows reports whether an outcome says yes.
func allows(options []PermissionOption, outcome string) bool {
	return slices.ContainsFunc(options, func(o PermissionOption) bool {
		return o.ID == outcome && strings.HasPrefix(o.Kind, "allow")
	})
}
