package backends

import (
	"crypto/sha256"
	"time"

	"boo/orchestrator"
)

// key names a session: at most one of a chat and an agent is warm.
type key struct {
	chat  orchestrator.ChatID
	agent orchestrator.AgentName
}

// phase is where an agent of the pool is in its life.
type phase int

const (
	busy   phase = iota // it is brought up for a turn, or turns run in it
	free                // it waits, with warm sessions
	ending              // somebody ends it
	gone                // nothing is left of it
)

// pooled is an agent of the pool with the sessions it holds. All fields are
// guarded by the pool's mutex; host does not change once it is set.
type pooled struct {
	agent    orchestrator.AgentName
	identity [sha256.Size]byte
	host     Host // nil while it is brought up
	child    Child
	shared   bool // it may hold several sessions
	many     bool // and take their turns at once
	phase    phase
	turns    map[key]bool // whose turns run; there are some in phase busy only
	doomed   bool         // it ends with its turn
	used     time.Time
	sessions map[key]*warm
	changed  chan struct{} // closed when the phase changes, then another one
}

// warm is a session that its agent holds.
type warm struct {
	session Session
	want    want
	last    orchestrator.TurnID // the newest turn that was taken in it
	doomed  bool                // it is put away with its turn
	ended   func(error)
}

// want is what a session was made for.
type want struct {
	model, mode string
	dir         orchestrator.WorktreeDir
}

func wanted(req orchestrator.SessionRequest) want { return want{req.Model, req.Mode, req.Dir} }

// fits reports whether the session is the one that is asked for, and has missed
// nothing.
func (s *warm) fits(req orchestrator.SessionRequest) bool {
	return s.want == wanted(req) && s.last == req.Last && s.session.Info().NativeID == req.NativeID
}

// over reports whether the agent has ended.
func (h *pooled) over() bool {
	if h.host == nil {
		return false
	}
	select {
	case <-h.host.Done():
		return true
	default:
		return false
	}
}

// takes reports whether the agent can begin another turn.
func (h *pooled) takes() bool {
	idle := h.phase == free || h.phase == busy && h.many && h.host != nil
	return idle && !h.doomed && !h.over()
}

// evictable reports whether the agent may be ended to save room: nothing runs
// in it, and nothing that it knows is lost.
func (h *pooled) evictable() bool { return h.phase == free && h.host.Resumes() }

// begin makes the agent busy with k's turn.
func (h *pooled) begin(k key) {
	h.turns[k] = true
	h.move(busy)
}

// finish ends k's turn; the agent is free after the last one.
func (h *pooled) finish(k key) {
	delete(h.turns, k)
	if len(h.turns) == 0 {
		h.move(free)
		return
	}
	h.move(busy) // somebody may wait for that session
}

func (h *pooled) move(to phase) {
	h.phase = to
	close(h.changed)
	h.changed = make(chan struct{})
}
