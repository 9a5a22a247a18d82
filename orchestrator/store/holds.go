package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type holdRow struct {
	Name    string `db:"name"`
	Path    []byte `db:"path"`
	Since   int64  `db:"since_ms"`
	Checked int64  `db:"checked_ms"`
	Next    int64  `db:"next_ms"`
	Checks  int    `db:"checks"`
	Risks   string `db:"risks"`
}

func (r holdRow) hold() (orchestrator.Hold, error) {
	h := orchestrator.Hold{
		Name: r.Name, Path: string(r.Path), Since: instant(r.Since), Checked: instant(r.Checked), Next: instant(r.Next), Checks: r.Checks,
	}
	if err := json.Unmarshal([]byte(r.Risks), &h.Risks); err != nil {
		return h, fmt.Errorf("read why %s is held: %w", r.Name, err)
	}
	return h, nil
}

const upsertHold = `
INSERT OR REPLACE INTO holds (name, path, since_ms, checked_ms, next_ms, checks, risks)
VALUES (:name, :path, :since_ms, :checked_ms, :next_ms, :checks, :risks)`

// PutHold stores that something is held, in place of what was stored of it.
func (s *Store) PutHold(ctx context.Context, h orchestrator.Hold) error {
	risks, err := json.Marshal(append([]orchestrator.Risk{}, h.Risks...))
	if err != nil {
		return fmt.Errorf("store why %s is held: %w", h.Name, err)
	}
	return s.write(ctx, logged, "store that a worktree is held", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, upsertHold, holdRow{
			Name: h.Name, Path: append([]byte{}, h.Path...), Since: millis(h.Since), Checked: millis(h.Checked), Next: millis(h.Next),
			Checks: h.Checks, Risks: string(risks),
		})
		return err
	})
}

// DropHold forgets that something was held; it need not have been.
func (s *Store) DropHold(ctx context.Context, name string) error {
	return s.write(ctx, logged, "store that a worktree is held no more", func(t *tx) error {
		_, err := t.ExecContext(ctx, "DELETE FROM holds WHERE name = ?", name)
		return err
	})
}

// Holds lists what is held, the longest held first.
func (s *Store) Holds(ctx context.Context) ([]orchestrator.Hold, error) {
	var rows []holdRow
	err := s.read(ctx, "list what is held", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM holds ORDER BY since_ms, name")
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, holdRow.hold)
}
