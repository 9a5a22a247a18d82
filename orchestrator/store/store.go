package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// Options are what a store takes from outside. The zero value is complete.
type Options struct {
	Now func() time.Time // nil for time.Now
}

// Store implements the orchestrator's Store, and what package pending needs of
// one, on one SQLite file. Its methods may be called concurrently, also by
// several processes that have the file open.
type Store struct {
	path     string
	now      func() time.Time
	patience time.Duration
	writer   *sqlx.DB // one connection
	readers  *sqlx.DB
	writing  *statements // of the writer
	reading  *statements // of the readers
}

const (
	readers = 4
	// How long one statement waits for a lock inside of SQLite; the store goes
	// on trying until its patience ends.
	busyTimeout = time.Second
	patience    = 30 * time.Second
)

// Open opens the store in the file at path, and makes it, 0600 in a directory
// of 0700, if it is not there. An older schema is brought up to date first,
// with a backup beside the file; a newer one is refused with CodeInvalid.
// CodeDenied and CodeFull name the directory.
func Open(ctx context.Context, path string, opt Options) (*Store, error) {
	return open(ctx, path, opt, embedded())
}

func open(ctx context.Context, path string, opt Options, steps []migration) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	s := &Store{path: path, now: opt.Now, patience: patience}
	if s.now == nil {
		s.now = time.Now
	}
	if err := makeFile(path); err != nil {
		return nil, s.explain("open the store", err)
	}
	if s.writer, err = pool(path, 1, "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate"); err != nil {
		return nil, s.explain("open the store", err)
	}
	if s.readers, err = pool(path, readers, "_query_only=1"); err != nil {
		return nil, errors.Join(s.explain("open the store", err), s.writer.Close())
	}
	s.writing, s.reading = newStatements(s.writer), newStatements(s.readers)
	if err := s.migrate(ctx, steps); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// pool does not connect yet.
func pool(path string, size int, params string) (*sqlx.DB, error) {
	file := url.URL{Scheme: "file", Path: path}
	dsn := fmt.Sprintf("%s?_busy_timeout=%d&_foreign_keys=1&_dqs=0&_error_rc=1&%s", file.String(), busyTimeout.Milliseconds(), params)
	db, err := sqlx.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// Close releases the file. Calls that are still under way end with an error.
func (s *Store) Close() error {
	// The writer goes last: it is the one that may empty the WAL.
	if err := errors.Join(s.readers.Close(), s.writer.Close()); err != nil {
		return s.explain("close the store", err)
	}
	return nil
}
