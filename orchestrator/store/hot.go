package store

import (
	"context"
	"database/sql"
	"sync"

	"github.com/jmoiron/sqlx"
)

// hot are statements of the writer that are used again and again: to prepare one
// takes longer than to carry it out.
type hot struct {
	mu    sync.Mutex
	ready map[string]*sqlx.Stmt // nil after the first use: a program that ends then need not prepare it
}

// exec runs a statement that is used often. Its text is a constant.
func (t *tx) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := t.often(query); s != nil {
		return t.StmtxContext(ctx, s).ExecContext(ctx, args...)
	}
	return t.ExecContext(ctx, query, args...)
}

// get reads the one row of a query that is used often. Its text is a constant.
func (t *tx) get(ctx context.Context, value any, query string, args ...any) error {
	if s := t.often(query); s != nil {
		return t.StmtxContext(ctx, s).GetContext(ctx, value, args...)
	}
	return t.GetContext(ctx, value, query, args...)
}

// often returns a statement if it is prepared, and has it prepared for the next
// transaction if this is not the first use.
func (t *tx) often(query string) *sqlx.Stmt {
	t.hot.mu.Lock()
	defer t.hot.mu.Unlock()
	s, again := t.hot.ready[query]
	switch {
	case !again:
		t.hot.ready[query] = nil
	case s == nil:
		t.wanted = append(t.wanted, query)
	}
	return s
}

// prepare prepares statements. The writer's connection is free. Those that cannot
// be prepared are used as they are.
func (s *Store) prepare(ctx context.Context, queries []string) {
	for _, query := range queries {
		stmt, err := s.writer.PreparexContext(ctx, query)
		if err != nil {
			return
		}
		s.hot.mu.Lock()
		if other := s.hot.ready[query]; other == nil {
			s.hot.ready[query], stmt = stmt, nil
		}
		s.hot.mu.Unlock()
		if stmt != nil {
			_ = stmt.Close() // somebody was faster
		}
	}
}
