package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"boo/orchestrator"
)

// explain turns an error into the coded one that leaves the package. Errors
// that have a code already stay as they are.
func (s *Store) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*orchestrator.Error](err); ok {
		return err
	}
	dir := filepath.Dir(s.path)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), primary(err) == sqlite3.SQLITE_INTERRUPT:
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "%s: %w", doing, err)
	case isFull(err):
		return orchestrator.Errorf(orchestrator.CodeFull, "%s: no space is left in %s; nothing of it was stored: %w", doing, dir, err).
			WithHint("df -h %s", dir)
	case isDenied(err):
		return orchestrator.Errorf(orchestrator.CodeDenied, "%s: boo may not write in %s: %w", doing, dir, err).
			WithHint("make %s writable for yourself, or export BOO_HOME=/another/directory", dir)
	case isDamaged(err):
		return orchestrator.Errorf(orchestrator.CodeInternal, "%s: %s is damaged or not boo's; what agents wrote is still in each repository, below refs/boo/: %w", doing, s.path, err).
			WithHint("mv %s %s.damaged", s.path, s.path)
	}
	return orchestrator.Errorf(orchestrator.CodeInternal, "%s: %w", doing, err)
}

// result returns SQLite's extended result code, 0 if err is none of SQLite's.
func result(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// primary returns the result code without its extension.
func primary(err error) int { return result(err) & 0xff }

func isBusy(err error) bool {
	return primary(err) == sqlite3.SQLITE_BUSY || primary(err) == sqlite3.SQLITE_LOCKED
}

func isFull(err error) bool {
	// Growing the shared memory beside the WAL has a code of its own.
	return primary(err) == sqlite3.SQLITE_FULL || result(err) == sqlite3.SQLITE_IOERR_SHMSIZE ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isDenied(err error) bool {
	switch primary(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

func isDamaged(err error) bool {
	return primary(err) == sqlite3.SQLITE_CORRUPT || primary(err) == sqlite3.SQLITE_NOTADB
}

// isTaken reports that a row with a key that must be unique is there already.
func isTaken(err error) bool {
	return result(err) == sqlite3.SQLITE_CONSTRAINT_UNIQUE || result(err) == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// isDangling reports that a row refers to one that is not there.
func isDangling(err error) bool { return result(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY }

// orMissing gives "no such row" its code.
func orMissing(err error, what string, id any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return orchestrator.Errorf(orchestrator.CodeNotFound, "no %s %v", what, id)
	}
	return err
}
