package acp

import (
	"encoding/json"
	"sync"

	"boo/orchestrator"
)

// tokenUsage is a count of tokens in any of the forms that agents give it:
// the protocol's, and the older one of qwen's _meta.usage.
type tokenUsage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
	Prompt     int64 `json:"promptTokens"`
	Completion int64 `json:"completionTokens"`
	Cached     int64 `json:"cachedTokens"`
}

func (u tokenUsage) usage() orchestrator.Usage {
	either := func(a, b int64) int64 { return max(a, b, 0) }
	return orchestrator.Usage{
		Input:      either(u.Input, u.Prompt),
		Output:     either(u.Output, u.Completion),
		CacheRead:  either(u.CacheRead, u.Cached),
		CacheWrite: max(u.CacheWrite, 0),
	}
}

// windowUpdate is a usage_update: how full the agent's window is, and what the
// session has cost from its beginning.
type windowUpdate struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
	Cost *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// meter knows what a session has cost. The agent's figure is a sum over the
// session, so what a turn cost is the difference to where the last one ended:
//
//	begin, past     the turns on record have cost that much
//	  │ figure before the first turn ──▶ it is what the session has cost until then
//	  ▼
//	counting ──▶ each figure takes the place of the last one; one that is less says
//	             that the agent has begun anew, from zero
//
// Methods may be called concurrently.
type meter struct {
	mu       sync.Mutex
	window   orchestrator.Usage // ContextUsed and ContextSize
	total    float64
	currency string
	counting bool    // there has been a figure, or a turn
	charged  float64 // what of total earlier turns have been charged with
}

// begin prepares for the figures of a session whose turns were charged with that
// much.
func (m *meter) begin(charged float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counting, m.total, m.charged = false, charged, charged
}

// take sets what an update tells, in a turn or not.
func (m *meter) take(u windowUpdate, inTurn bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.window.ContextUsed, m.window.ContextSize = max(u.Used, 0), max(u.Size, 0)
	if u.Cost == nil {
		return
	}
	amount := u.Cost.Amount
	switch {
	case !m.counting && !inTurn:
		m.charged = amount
	case less(amount, m.total):
		m.charged = 0
	}
	m.counting, m.total, m.currency = true, amount, u.Cost.Currency
}

// less reports whether a is less than b by more than what adding up loses.
func less(a, b float64) bool { return b-a > 1e-9*b }

// turn returns window and cost of the turn so far.
func (m *meter) turn() orchestrator.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage()
}

// settle returns window and cost of the turn, and begins the next one.
func (m *meter) settle() orchestrator.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.usage()
	m.counting, m.charged = true, m.total // what trails is the next turn's
	return u
}

// usage is turn with mu held.
func (m *meter) usage() orchestrator.Usage {
	u := m.window
	if less(m.charged, m.total) {
		u.Cost, u.Currency = m.total-m.charged, m.currency
	}
	return u
}

// promptResult is the answer to a prompt.
type promptResult struct {
	Stop  string      `json:"stopReason"`
	Usage *tokenUsage `json:"usage"`
	Meta  struct {
		Quota struct {
			Tokens *struct { // gemini's
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	} `json:"_meta"`
}

// tokens returns what the answer says that the turn took; ok is false if it
// says nothing.
func (r promptResult) tokens() (u orchestrator.Usage, ok bool) {
	if r.Usage != nil {
		return r.Usage.usage(), true
	}
	if q := r.Meta.Quota.Tokens; q != nil {
		return orchestrator.Usage{Input: max(q.Input, 0), Output: max(q.Output, 0)}, true
	}
	return u, false
}

func decodeWindow(raw json.RawMessage) (windowUpdate, bool) {
	var u windowUpdate
	return u, json.Unmarshal(raw, &u) == nil
}
