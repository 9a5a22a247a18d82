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
// session, so what a turn cost is the difference to where the last one ended.
// Methods may be called concurrently.
type meter struct {
	mu       sync.Mutex
	window   orchestrator.Usage // ContextUsed and ContextSize
	total    float64
	currency string
	known    bool    // the session's past is known: it has none, or total has it
	charged  float64 // what of total earlier turns have been charged with
}

// take sets what an update tells.
func (m *meter) take(u windowUpdate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.window.ContextUsed, m.window.ContextSize = max(u.Used, 0), max(u.Size, 0)
	if u.Cost == nil {
		return
	}
	if !m.known {
		// A session brought back has a past that was counted before: the first
		// figure is where counting starts.
		m.charged, m.known = u.Cost.Amount, true
	}
	if u.Cost.Amount < m.total {
		m.charged = 0 // the agent began to count anew
	}
	m.total, m.currency = u.Cost.Amount, u.Cost.Currency
}

// fresh says that the session has no past.
func (m *meter) fresh() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.total, m.charged = true, 0, 0
}

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
	m.charged = m.total
	return u
}

// usage is turn with mu held.
func (m *meter) usage() orchestrator.Usage {
	u := m.window
	if cost := m.total - m.charged; m.known && cost > 0 {
		u.Cost, u.Currency = cost, m.currency
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
