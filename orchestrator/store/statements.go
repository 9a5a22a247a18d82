package store

import (
	"context"
	"database/sql"
	"sync"

	"github.com/jmoiron/sqlx"
)

// maxStatements bounds what is kept prepared; texts that hold a list of arguments
// come in many lengths.
const maxStatements = 256

// statements are those of one pool of connections that are used again and again:
// to prepare one takes longer than to carry it out. It may be used concurrently.
type statements struct {
	db *sqlx.DB

	mu    sync.Mutex
	ready map[string]*sqlx.Stmt // nil after the first use: a program that ends then need not prepare it
}

func newStatements(db *sqlx.DB) *statements {
	return &statements{db: db, ready: map[string]*sqlx.Stmt{}}
}

// used takes note of a use: the statement if it is prepared, and else whether that
// is worth while.
func (s *statements) used(query string) (stmt *sqlx.Stmt, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt, again := s.ready[query]
	if !again && len(s.ready) < maxStatements {
		s.ready[query] = nil
	}
	return stmt, again && stmt == nil
}

// prepare prepares a statement with a connection that is free; nil if that cannot
// be, and the query is then used as it is.
func (s *statements) prepare(ctx context.Context, query string) *sqlx.Stmt {
	stmt, err := s.db.PreparexContext(ctx, query)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.ready[query]; other != nil {
		_ = stmt.Close() // somebody was faster
		return other
	}
	s.ready[query] = stmt
	return stmt
}

// often returns the prepared statement of a query that was used before, else nil.
func (s *statements) often(ctx context.Context, query string) *sqlx.Stmt {
	stmt, wanted := s.used(query)
	if wanted {
		stmt = s.prepare(ctx, query)
	}
	return stmt
}

// QueryContext implements [sqlx.QueryerContext].
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := s.often(ctx, query); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return s.db.QueryContext(ctx, query, args...)
}

// QueryxContext implements [sqlx.QueryerContext].
func (s *statements) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	if stmt := s.often(ctx, query); stmt != nil {
		return stmt.QueryxContext(ctx, args...)
	}
	return s.db.QueryxContext(ctx, query, args...)
}

// QueryRowxContext implements [sqlx.QueryerContext].
func (s *statements) QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row {
	if stmt := s.often(ctx, query); stmt != nil {
		return stmt.QueryRowxContext(ctx, args...)
	}
	return s.db.QueryRowxContext(ctx, query, args...)
}
