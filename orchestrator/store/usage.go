package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// usageRow has the fields of [orchestrator.Usage], and so converts to it.
type usageRow struct {
	Input       int64   `db:"input"`
	Output      int64   `db:"output"`
	CacheRead   int64   `db:"cache_read"`
	CacheWrite  int64   `db:"cache_write"`
	Cost        float64 `db:"cost"`
	Currency    string  `db:"currency"`
	ContextUsed int64   `db:"context_used"`
	ContextSize int64   `db:"context_size"`
}

func (r usageRow) usage() orchestrator.Usage { return orchestrator.Usage(r) }

// LastUsage returns what a turn had cost by the last event that tells of it.
func (s *Store) LastUsage(ctx context.Context, turn orchestrator.TurnID) (orchestrator.Usage, error) {
	var rows []eventRow
	err := s.read(ctx, "look up what the turn has cost", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM events WHERE turn_id = ? AND kind = 'usage' ORDER BY seq DESC LIMIT 1", turn)
	})
	if err != nil || len(rows) == 0 {
		return orchestrator.Usage{}, err
	}
	ev, err := rows[0].event()
	if err != nil || ev.Usage == nil {
		return orchestrator.Usage{}, err
	}
	return *ev.Usage, nil
}
