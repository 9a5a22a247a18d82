package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// TurnsBetween lists a chat's turns with numbers above after and below before, by
// number.
func (s *Store) TurnsBetween(ctx context.Context, chat orchestrator.ChatID, after, before int64) ([]orchestrator.Turn, error) {
	return s.turns(ctx, "SELECT * FROM turns WHERE chat_id = ? AND number > ? AND number < ? ORDER BY number", chat, after, before)
}

// LastTurn returns the newest turn of a chat that a query selects, CodeNotFound
// if there is none. It looks at the turns from the newest on.
func (s *Store) LastTurn(ctx context.Context, query orchestrator.TurnQuery) (orchestrator.Turn, error) {
	f := selecting(query)
	turns, err := s.turns(ctx, "SELECT * FROM turns "+f.where()+" ORDER BY number DESC LIMIT 1", f.args...)
	if err != nil {
		return orchestrator.Turn{}, err
	}
	if len(turns) == 0 {
		return orchestrator.Turn{}, orchestrator.Errorf(orchestrator.CodeNotFound, "chat %s has no such turn", query.Chat)
	}
	return turns[0], nil
}

const sumSession = `
SELECT coalesce(sum(cost), 0.0) FROM turns %[1]s AND number >=
    (SELECT coalesce(max(number), 0) FROM turns %[1]s AND rung IN ('new', 'history'))`

// SessionCost adds up what the turns that a query selects have cost, from the last
// on that began a new session of its agent.
func (s *Store) SessionCost(ctx context.Context, query orchestrator.TurnQuery) (cost float64, err error) {
	f := selecting(query)
	err = s.read(ctx, "add up what the session has cost", func(q sqlx.QueryerContext) error {
		return sqlx.GetContext(ctx, q, &cost, fmt.Sprintf(sumSession, f.where()), slices.Concat(f.args, f.args)...)
	})
	return cost, err
}

// selecting is the condition of a query.
func selecting(query orchestrator.TurnQuery) filter {
	var f filter
	f.and("chat_id = ? AND number > ?", query.Chat, query.After)
	if query.Before > 0 {
		f.and("number < ?", query.Before)
	}
	if len(query.Agents) > 0 {
		args := make([]any, len(query.Agents))
		for i, agent := range query.Agents {
			args[i] = agent
		}
		f.and("agent IN (?"+strings.Repeat(", ?", len(args)-1)+")", args...)
	}
	if query.Begun {
		f.and("before_commit <> ''")
	}
	if query.State != "" {
		f.and("state = ?", query.State)
	}
	return f
}
