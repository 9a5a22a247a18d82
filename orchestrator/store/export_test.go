package store

import (
	"context"
	"fmt"
	"time"
)

// Migration is one step of a schema.
type Migration = migration

// OpenAt opens a store whose schema is built by other migrations.
func OpenAt(ctx context.Context, path string, steps ...Migration) (*Store, error) {
	return open(ctx, path, Options{}, steps)
}

// Migrations returns the program's own migrations.
func Migrations() []Migration { return embedded() }

// Newest returns the number of the last of the program's own migrations.
func Newest() int { return embedded()[len(embedded())-1].number }

// Step returns a migration that comes n after the newest one.
func Step(n int, statements string) Migration { return migration{Newest() + n, statements} }

// LimitPages makes the disk full as soon as the file has n pages.
func (s *Store) LimitPages(ctx context.Context, n int) error {
	_, err := s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n))
	return err
}

// Pages returns the size of the file.
func (s *Store) Pages(ctx context.Context) (n int, err error) {
	err = s.writer.GetContext(ctx, &n, "PRAGMA page_count")
	return n, err
}

// SetPatience sets how long a locked file is waited for.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// Exec runs a statement on the writing connection, past all rules but the schema's.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) error {
	_, err := s.writer.ExecContext(ctx, statement, args...)
	return err
}

// Plan returns how SQLite would carry out a query.
func (s *Store) Plan(ctx context.Context, query string) ([]string, error) {
	var rows []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		Notused int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	err := s.readers.SelectContext(ctx, &rows, "EXPLAIN QUERY PLAN "+query)
	var plan []string
	for _, r := range rows {
		plan = append(plan, r.Detail)
	}
	return plan, err
}

// The queries of OpenTurns and Unsettled.
const (
	OpenTurnsQuery = selectOpenTurns
	UnsettledQuery = selectUnsettled
)

// Tables returns the statements that made the tables, by name.
func (s *Store) Tables(ctx context.Context) (map[string]string, error) {
	var rows []struct {
		Name string `db:"name"`
		SQL  string `db:"sql"`
	}
	err := s.readers.SelectContext(ctx, &rows, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
	tables := map[string]string{}
	for _, r := range rows {
		tables[r.Name] = r.SQL
	}
	return tables, err
}

// MaxStatements is how many statements are kept prepared of each pool.
const MaxStatements = maxStatements

// Prepared counts the statements of the readers that are kept.
func (s *Store) Prepared() int { return len(s.reading.ready) }
