package store

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// A transaction has the writer's only connection, so that nothing can be prepared
// before it ends: what it used again is prepared for the next one.

func (t *tx) often(ctx context.Context, query string) *sqlx.Stmt {
	stmt, wanted := t.statements.used(query)
	if wanted {
		t.wanted[query] = true
	}
	if stmt == nil {
		return nil
	}
	return t.StmtxContext(ctx, stmt)
}

// ExecContext carries a statement out.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := t.often(ctx, query); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return t.Tx.ExecContext(ctx, query, args...)
}

// NamedExecContext carries a statement out whose arguments have the names of the
// fields of arg.
func (t *tx) NamedExecContext(ctx context.Context, query string, arg any) (sql.Result, error) {
	query, args, err := t.BindNamed(query, arg)
	if err != nil {
		return nil, err
	}
	return t.ExecContext(ctx, query, args...)
}

// GetContext reads the one row of a query.
func (t *tx) GetContext(ctx context.Context, value any, query string, args ...any) error {
	return sqlx.GetContext(ctx, t, value, query, args...)
}

// SelectContext reads the rows of a query.
func (t *tx) SelectContext(ctx context.Context, values any, query string, args ...any) error {
	return sqlx.SelectContext(ctx, t, values, query, args...)
}

// QueryContext implements [sqlx.QueryerContext].
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := t.often(ctx, query); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return t.Tx.QueryContext(ctx, query, args...)
}

// QueryxContext implements [sqlx.QueryerContext].
func (t *tx) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	if stmt := t.often(ctx, query); stmt != nil {
		return stmt.QueryxContext(ctx, args...)
	}
	return t.Tx.QueryxContext(ctx, query, args...)
}

// QueryRowxContext implements [sqlx.QueryerContext].
func (t *tx) QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row {
	if stmt := t.often(ctx, query); stmt != nil {
		return stmt.QueryRowxContext(ctx, args...)
	}
	return t.Tx.QueryRowxContext(ctx, query, args...)
}
