package acp

import (
	"context"
	"errors"

	"boo/orchestrator"
)

// deletion is the request session/delete, which the SDK does not have.
type deletion struct {
	Session string `json:"sessionId"`
}

// Forget has the agent delete a session from its store, where it advertises that
// it can. A session that it does not know is deleted.
func (h *Host) Forget(ctx context.Context, _, id string) (deleted bool, err error) {
	if h.intro.can.Session.Delete == nil {
		return false, nil
	}
	_, err = h.conn.call(ctx, methodDelete, deletion{id}, limits{total: settingTime})
	if refusal, ok := errors.AsType[*rpcError](err); ok && refusal.unknownSession() {
		return true, nil
	}
	if err != nil {
		return false, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s could not delete its session: %w", h.def.Name, err)
	}
	return true, nil
}
