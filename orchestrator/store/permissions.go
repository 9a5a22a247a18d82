package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type permissionRow struct {
	ID      orchestrator.PermissionID `db:"id"`
	Chat    orchestrator.ChatID       `db:"chat_id"`
	Turn    orchestrator.TurnID       `db:"turn_id"`
	Agent   orchestrator.AgentName    `db:"agent"`
	Asked   int64                     `db:"asked_ms"`
	Request string                    `db:"request"`
}

func (r permissionRow) permission() (orchestrator.OpenPermission, error) {
	p := orchestrator.OpenPermission{Chat: r.Chat, Turn: r.Turn, Agent: r.Agent, Asked: instant(r.Asked)}
	if err := json.Unmarshal([]byte(r.Request), &p.Permission); err != nil {
		return p, fmt.Errorf("read permission request %s: %w", r.ID, err)
	}
	return p, nil
}

const insertPermission = `
INSERT INTO permissions (id, chat_id, turn_id, agent, asked_ms, request) VALUES (:id, :chat_id, :turn_id, :agent, :asked_ms, :request)`

// AskPermission stores a request: as open, or, if it has an outcome already,
// only its event. It is on disk on return.
func (s *Store) AskPermission(ctx context.Context, p orchestrator.OpenPermission) error {
	return s.write(ctx, synced, "store the permission request", func(t *tx) error {
		if p.Outcome == "" {
			request, err := json.Marshal(p.Permission)
			if err != nil {
				return err
			}
			row := permissionRow{ID: p.ID, Chat: p.Chat, Turn: p.Turn, Agent: p.Agent, Asked: millis(orNow(p.Asked, t.now)), Request: string(request)}
			if _, err := t.NamedExecContext(ctx, insertPermission, row); err != nil {
				return err
			}
		}
		return appendPermissions(ctx, t, []orchestrator.OpenPermission{p})
	})
}

const insertRule = `
INSERT OR REPLACE INTO standing_rules (chat_id, agent, kind, allow, created_ms) VALUES (?, ?, ?, ?, ?)`

// DecidePermission closes an open request with the outcome that p has, and
// keeps rule unless it is nil; on disk on return. CodeNotFound if the request
// is not open any more.
func (s *Store) DecidePermission(ctx context.Context, p orchestrator.OpenPermission, rule *orchestrator.StandingRule) error {
	return s.write(ctx, synced, "store the answer to the permission request", func(t *tx) error {
		result, err := t.ExecContext(ctx, "DELETE FROM permissions WHERE id = ?", p.ID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "permission request %s is not open any more", p.ID)
		}
		if rule != nil {
			if _, err := t.ExecContext(ctx, insertRule, p.Chat, p.Agent, rule.Kind, rule.Allow, millis(t.now)); err != nil {
				return err
			}
		}
		return appendPermissions(ctx, t, []orchestrator.OpenPermission{p})
	})
}

// cancelPermissions closes what is still open of a turn that ends.
func cancelPermissions(ctx context.Context, t *tx, turn orchestrator.TurnID) error {
	var rows []permissionRow
	if err := t.SelectContext(ctx, &rows, "SELECT * FROM permissions WHERE turn_id = ? ORDER BY asked_ms", turn); err != nil || len(rows) == 0 {
		return err
	}
	open, err := convert(rows, permissionRow.permission)
	if err != nil {
		return err
	}
	for i := range open {
		open[i].Outcome, open[i].By = orchestrator.PermissionCancelled, orchestrator.ByTurnEnd
	}
	if _, err := t.ExecContext(ctx, "DELETE FROM permissions WHERE turn_id = ?", turn); err != nil {
		return err
	}
	return appendPermissions(ctx, t, open)
}

func appendPermissions(ctx context.Context, t *tx, list []orchestrator.OpenPermission) error {
	events := make([]orchestrator.Event, len(list))
	for i := range list {
		events[i] = orchestrator.Event{
			Turn: list[i].Turn, Agent: list[i].Agent, Kind: orchestrator.EventPermission, Permission: &list[i].Permission,
		}
	}
	_, err := appendEvents(ctx, t, list[0].Chat, events)
	return err
}

// OpenPermissions lists the open requests of a chat, or of all if chat is "",
// the oldest first.
func (s *Store) OpenPermissions(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.OpenPermission, error) {
	var f filter
	if chat != "" {
		f.and("chat_id = ?", chat)
	}
	var rows []permissionRow
	err := s.read(ctx, "list permission requests", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM permissions "+f.where()+" ORDER BY asked_ms, id", f.args...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, permissionRow.permission)
}

// StandingRules lists what was answered for good in a chat, to an agent.
func (s *Store) StandingRules(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName) ([]orchestrator.StandingRule, error) {
	var rows []struct {
		Kind  string `db:"kind"`
		Allow bool   `db:"allow"`
	}
	err := s.read(ctx, "list standing rules", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT kind, allow FROM standing_rules WHERE chat_id = ? AND agent = ? ORDER BY kind", chat, agent)
	})
	rules := make([]orchestrator.StandingRule, len(rows))
	for i, row := range rows {
		rules[i] = orchestrator.StandingRule(row)
	}
	return rules, err
}
