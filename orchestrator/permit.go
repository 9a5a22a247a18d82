package orchestrator

import (
	"context"
	"slices"
)

// permissionCancelled is the outcome of a request that nobody answered before
// the turn ended.
const permissionCancelled = "cancelled"

// permit answers one request of the agent's: by the person, if one is there,
// else by policy, which rejects. Request and answer are stored before the
// answer goes out.
func (lt *liveTurn) permit(ctx context.Context, p Permission) (string, error) {
	p.ID = NewPermissionID()
	if !lt.attended {
		p.Outcome, p.By = rejection(p.Options), "policy"
		return p.Outcome, lt.tell(ctx, p)
	}
	answer := make(chan string, 1)
	lt.e.mu.Lock()
	lt.e.permissions[p.ID] = answer
	lt.e.mu.Unlock()
	defer func() {
		lt.e.mu.Lock()
		delete(lt.e.permissions, p.ID)
		lt.e.mu.Unlock()
	}()
	if err := lt.tell(ctx, p); err != nil {
		return permissionCancelled, err
	}
	select {
	case p.Outcome = <-answer:
		p.By = "person"
	case <-ctx.Done():
		p.Outcome, p.By = permissionCancelled, "turn ended"
	}
	if !slices.ContainsFunc(p.Options, func(o PermissionOption) bool { return o.ID == p.Outcome }) {
		p.Outcome = permissionCancelled
	}
	return p.Outcome, lt.tell(context.WithoutCancel(ctx), p)
}

func (lt *liveTurn) tell(ctx context.Context, p Permission) error {
	_, err := lt.e.Store.AppendEvents(ctx, lt.turn.Chat, []Event{{
		Chat: lt.turn.Chat, Turn: lt.turn.ID, Agent: lt.turn.Agent, At: lt.e.Now(), Kind: EventPermission, Permission: &p,
	}})
	lt.e.announce(lt.turn.Chat)
	return err
}

// rejection picks the option that says no, by its kind: ids are the agent's.
func rejection(options []PermissionOption) string {
	for _, kind := range []string{"reject_once", "reject_always"} {
		for _, o := range options {
			if o.Kind == kind {
				return o.ID
			}
		}
	}
	return permissionCancelled
}

// Answer answers an open permission request; see [Service.Answer].
func (e *Engine) Answer(_ context.Context, id PermissionID, option string) error {
	e.mu.Lock()
	answer, ok := e.permissions[id]
	delete(e.permissions, id) // answered exactly once
	e.mu.Unlock()
	if !ok {
		return Errorf(CodeNotFound, "permission request %s is not open any more", id)
	}
	answer <- option
	return nil
}
