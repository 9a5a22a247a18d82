package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// tx is one write transaction. It holds the file's write lock from its
// beginning, so what it has read stays true, and now is the one moment at which
// all that it writes happens.
type tx struct {
	*sqlx.Tx
	now time.Time

	statements *statements
	wanted     map[string]bool // to be prepared for the next one
}

// durability is how far a transaction has come when its commit returns.
type durability string

// A transaction that was logged is lost with the machine's power, but not with
// the process, and goes to disk together with the next synced one.
const (
	synced durability = "PRAGMA synchronous = FULL"
	logged durability = "PRAGMA synchronous = NORMAL"
)

// write runs do in a transaction, which is committed if do returns nil. do runs
// again when another process had the file, so it must not keep anything of an
// earlier run. doing says what it is for.
func (s *Store) write(ctx context.Context, how durability, doing string, do func(*tx) error) error {
	return s.explain(doing, s.patiently(ctx, func() error { return s.transact(ctx, how, do) }))
}

func (s *Store) transact(ctx context.Context, how durability, do func(*tx) error) error {
	t := &tx{statements: s.writing, wanted: map[string]bool{}}
	if err := s.commit(ctx, how, t, do); err != nil {
		return err
	}
	for query := range t.wanted {
		s.writing.prepare(ctx, query)
	}
	return nil
}

func (s *Store) commit(ctx context.Context, how durability, t *tx, do func(*tx) error) error {
	conn, err := s.writer.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, string(how)); err != nil {
		return err
	}
	if t.Tx, err = conn.BeginTxx(ctx, nil); err != nil {
		return err
	}
	t.now = instant(millis(s.now()))
	if err := do(t); err != nil {
		_ = t.Rollback() // SQLite has done it already, or does it with the connection
		return err
	}
	return t.Commit()
}

// read runs one query on a connection that cannot write. do may run again.
func (s *Store) read(ctx context.Context, doing string, do func(sqlx.QueryerContext) error) error {
	return s.explain(doing, s.patiently(ctx, func() error { return do(s.reading) }))
}

// patiently repeats what another process's lock kept from being done.
func (s *Store) patiently(ctx context.Context, do func() error) error {
	const longest = 100 * time.Millisecond
	begin := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, longest) {
		err := do()
		if !isBusy(err) {
			return err
		}
		if time.Since(begin) > s.patience {
			return orchestrator.Errorf(orchestrator.CodeBusy, "another process has kept %s locked for %s; nothing was stored: %w", s.path, s.patience, err).
				WithHint("fuser -v %s", s.path)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return orchestrator.Errorf(orchestrator.CodeInterrupted, "wait for %s: %w", s.path, context.Cause(ctx))
		}
	}
}
