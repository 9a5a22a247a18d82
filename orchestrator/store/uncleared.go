package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// Uncleared lists the applies and rejects that something may be left of, the
// newest first: those that are prepared, and others until [Store.ClearApply];
// an empty checkout selects all. Cost does not grow with those that are done.
func (s *Store) Uncleared(ctx context.Context, checkout orchestrator.CheckoutDir) ([]orchestrator.Apply, error) {
	var rows []applyRow
	err := s.read(ctx, "list applies that are not done", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows,
			"SELECT * FROM applies WHERE cleared = 0 AND (length(?1) = 0 OR checkout = ?1) ORDER BY ordinal DESC", []byte(checkout))
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, applyRow.apply)
}

// ClearApply notes that nothing is left of an apply to look after. It does not
// wait for the disk: what is noted twice does no harm.
func (s *Store) ClearApply(ctx context.Context, id orchestrator.ApplyID) error {
	return s.write(ctx, logged, "store that the apply is done", func(t *tx) error {
		_, err := t.ExecContext(ctx, "UPDATE applies SET cleared = 1 WHERE id = ? AND state <> 'prepared'", id)
		return err
	})
}

// LastApply returns the newest apply or reject that was asked for in a checkout
// and is in force; CodeNotFound if there is none.
func (s *Store) LastApply(ctx context.Context, origin orchestrator.CheckoutDir) (orchestrator.Apply, error) {
	var row applyRow
	err := s.read(ctx, "find the last apply", func(q sqlx.QueryerContext) error {
		return sqlx.GetContext(ctx, q, &row,
			"SELECT * FROM applies WHERE origin = ? AND state = 'applied' ORDER BY ordinal DESC LIMIT 1", []byte(origin))
	})
	if err != nil {
		return orchestrator.Apply{}, orMissing(err, "apply in force in", origin)
	}
	return row.apply()
}
