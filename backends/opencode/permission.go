package opencode

import (
	"context"
	"strings"

	"boo/orchestrator"
)

// maxAsks bounds the requests that may be open at once; the server keeps the
// others waiting, and the turn with them.
const maxAsks = 64

const replyReject = "reject"

// ask has a request answered in a goroutine of its own, which the turn waits
// for: events are read on meanwhile. A request that is open when the turn is
// stopped is not answered: the abort ends it, though the server goes on
// listing it.
func (t *turn) ask(session string, r request) {
	t.s.mu.Lock()
	permit := t.s.permit
	t.s.mu.Unlock()
	if t.asked[r.ID] || t.stopping || len(t.asked) >= maxAsks {
		return
	}
	t.asked[r.ID] = true
	call, known := t.tools[r.Tool.Call]
	if !known || session != t.s.id {
		call = about(r)
	}
	p := orchestrator.Permission{ID: orchestrator.NewPermissionID(), Tool: described(call, r), Options: options(r)}
	api, dir, life := t.s.host.api, t.s.dir, t.s.host.life
	t.asks.Go(func() {
		reply := replyReject
		if permit != nil {
			choice, err := permit(t.askCtx, p)
			if t.askCtx.Err() != nil {
				return
			}
			if err == nil && (choice == "once" || choice == "always") {
				reply = choice
			}
		}
		_ = api.permit(life, dir, r.ID, reply) // a request that is gone needs no answer
	})
}

func options(r request) []orchestrator.PermissionOption {
	always := "Always allow"
	if len(r.Always) > 0 {
		always += " " + strings.Join(r.Always, " ")
	}
	return []orchestrator.PermissionOption{
		{ID: "once", Name: "Allow once", Kind: "allow_once"},
		{ID: "always", Name: always, Kind: "allow_always"},
		{ID: replyReject, Name: "Reject", Kind: "reject_once"},
	}
}

// decline answers a question that the agent asks the person in the middle of
// its turn: nobody sees it, and it would wait for ever.
func (t *turn) decline(id string) {
	api, dir := t.s.host.api, t.s.dir
	t.notice("the agent asked a question in the middle of its turn; boo declined it: answer in your next prompt")
	t.asks.Go(func() {
		_ = api.decline(context.WithoutCancel(t.askCtx), dir, id) // a question that is gone needs no answer
	})
}
