package main

import (
	"fmt"
	"time"

	"boo/orchestrator"
)

// changeView is a change as --json prints it. Of a turn's share id and state
// are left out: only pending changes have them.
type changeView struct {
	ID   orchestrator.ChangeID `json:"id,omitempty"`
	Chat orchestrator.ChatID   `json:"chat"`
	orchestrator.FileStat
	OldMode      string                   `json:"old_mode,omitempty"` // git's modes, octal; none where there is no file
	NewMode      string                   `json:"new_mode,omitempty"`
	RenamedFrom  *orchestrator.Path       `json:"renamed_from,omitempty"` // on the row of the new name
	RenamedTo    *orchestrator.Path       `json:"renamed_to,omitempty"`   // on the row of the old one
	Similarity   int                      `json:"similarity,omitempty"`   // of the contents, in percent
	State        orchestrator.ChangeState `json:"state,omitempty"`
	Agents       []orchestrator.AgentName `json:"agents"`
	Turn         orchestrator.TurnID      `json:"turn"`
	Contributors []contributionView       `json:"contributors"`
	CreatedAt    time.Time                `json:"created_at"`
	// Checks is how checks ended on what an apply would have left; stale where it
	// would leave something else now.
	Checks []orchestrator.CheckResult `json:"checks,omitempty"`
}

type contributionView struct {
	Agent orchestrator.AgentName `json:"agent"`
	Turn  orchestrator.TurnID    `json:"turn"`
}

type changePatchView struct {
	changeView
	// Danger says why an apply refuses it, or only takes it with --allow.
	Danger string `json:"danger,omitempty"`
	Patch  string `json:"patch"`
}

func (m moves) view(c orchestrator.Change) changeView {
	v := changeView{
		ID: c.ID, Chat: c.Chat, FileStat: c.Stat(), State: c.State, Agents: c.Agents(), Turn: c.Turn, CreatedAt: c.CreatedAt,
		OldMode: modeView(c.Old), NewMode: modeView(c.New), Checks: m.checks[c.ID],
	}
	if r, ok := m.to[c.Path]; ok {
		v.RenamedFrom, v.Similarity = &r.From, r.Similarity
	}
	if r, ok := m.from[c.Path]; ok {
		v.RenamedTo, v.Similarity = &r.To, r.Similarity
	}
	for _, by := range c.Contributors {
		v.Contributors = append(v.Contributors, contributionView(by))
	}
	return v
}

func modeView(e orchestrator.Entry) string {
	if !e.Exists() {
		return ""
	}
	return fmt.Sprintf("%06o", uint32(e.Mode))
}
