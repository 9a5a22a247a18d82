package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step of the schema. Steps are taken in the order of their
// numbers; which were taken is recorded in the table migrations, number by
// number, since one with a low number may come to be part of boo after one with
// a higher number was.
type migration struct {
	number     int
	statements string
}

// embedded returns the migrations in their order. The file names begin with
// their numbers, of four digits; numbers may be missing.
func embedded() []migration {
	const dir = "migrations"
	entries, err := migrations.ReadDir(dir)
	if err != nil {
		panic(err) // the files are part of the program
	}
	steps := make([]migration, len(entries))
	for i, entry := range entries {
		text, err := migrations.ReadFile(dir + "/" + entry.Name())
		if err != nil {
			panic(err)
		}
		digits, _, _ := strings.Cut(entry.Name(), "_")
		number, err := strconv.Atoi(digits)
		if err != nil || i > 0 && number <= steps[i-1].number {
			panic("migration " + entry.Name() + " has no number of its own")
		}
		steps[i] = migration{number, string(text)}
	}
	return steps
}

// migrate brings the schema up to date, in one transaction: of the steps that are
// missing either all are taken or none. Several processes may be at it.
func (s *Store) migrate(ctx context.Context, steps []migration) error {
	const doing = "open the store"
	saved := false
	for {
		have, err := s.applied(ctx)
		if err != nil {
			return s.explain(doing, err)
		}
		if err := s.refuseNewer(have, steps); err != nil {
			return err
		}
		missing := slices.DeleteFunc(slices.Clone(steps), func(m migration) bool { return slices.Contains(have, m.number) })
		if len(missing) == 0 {
			return nil
		}
		if len(have) == 0 {
			saved = true // there is nothing in it
		} else if !saved {
			if err := s.backup(ctx, have); err != nil {
				return s.explain(fmt.Sprintf("back up the store before its schema %d is changed", slices.Max(have)), err)
			}
			saved = true
		}
		if err := s.take(ctx, have, missing); err != nil {
			return err
		}
	}
}

func (s *Store) refuseNewer(have []int, steps []migration) error {
	for _, number := range have {
		if !slices.ContainsFunc(steps, func(m migration) bool { return m.number == number }) {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s was written by a newer boo: its schema has step %d, which this one does not know; nothing was changed",
				s.path, number).WithHint("update boo, or export BOO_HOME=/another/directory")
		}
	}
	return nil
}

// applied lists the numbers of the migrations that the file has, in order. As a
// rule all are there, and who only reads then needs no connection that writes.
func (s *Store) applied(ctx context.Context) (have []int, err error) {
	err = s.patiently(ctx, func() error {
		have, err = recorded(ctx, s.readers)
		return err
	})
	return have, err
}

// recorded reads the table migrations. A file from before there was one has the
// steps up to its user_version.
func recorded(ctx context.Context, db sqlx.QueryerContext) (have []int, err error) {
	unread := sqlx.SelectContext(ctx, db, &have, "SELECT number FROM migrations ORDER BY number")
	if unread == nil {
		return have, nil
	}
	var version, tables int
	if err := sqlx.GetContext(ctx, db, &version, "PRAGMA user_version"); err != nil || version == 0 {
		return nil, err
	}
	if err := sqlx.GetContext(ctx, db, &tables, "SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'"); err != nil {
		return nil, err
	}
	if tables > 0 {
		return nil, unread
	}
	for n := range version {
		have = append(have, n+1)
	}
	return have, nil
}

// take runs the missing migrations, unless another process has changed the
// schema meanwhile.
func (s *Store) take(ctx context.Context, from []int, missing []migration) error {
	return s.write(ctx, synced, "bring the store's schema up to date", func(t *tx) error {
		have, err := recorded(ctx, t)
		if err != nil || !slices.Equal(have, from) {
			return err
		}
		var tables int
		if err := t.GetContext(ctx, &tables, "SELECT count(*) FROM sqlite_schema"); err != nil {
			return err
		}
		if len(have) == 0 && tables > 0 {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s is a database, but not one of boo's; nothing was changed", s.path).
				WithHint("mv %s %s.other", s.path, s.path)
		}
		for _, m := range missing {
			if _, err := t.ExecContext(ctx, m.statements); err != nil {
				return fmt.Errorf("step %d: %w", m.number, err)
			}
			have = append(have, m.number)
		}
		return record(ctx, t, have)
	})
}

// record writes down which migrations the file has. The highest number is the
// user_version too, by which a boo from before this table knows a newer file.
func record(ctx context.Context, t *tx, have []int) error {
	if _, err := t.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (number INTEGER NOT NULL PRIMARY KEY) STRICT"); err != nil {
		return err
	}
	for _, number := range have {
		if _, err := t.ExecContext(ctx, "INSERT OR IGNORE INTO migrations (number) VALUES (?)", number); err != nil {
			return err
		}
	}
	_, err := t.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", slices.Max(have)))
	return err
}

// backup copies the file as it is with the steps in have to "<path>.v<highest
// step>.bak", on disk when it returns. An earlier backup of that name is
// replaced: it is of a migration that did not come to pass, or has less in it.
func (s *Store) backup(ctx context.Context, have []int) error {
	final := fmt.Sprintf("%s.v%d.bak", s.path, slices.Max(have))
	f, err := os.CreateTemp(filepath.Dir(final), filepath.Base(final)+".*")
	if err != nil {
		return err
	}
	draft := f.Name()
	defer os.Remove(draft)
	if err := f.Close(); err != nil {
		return err
	}
	err = s.patiently(ctx, func() error {
		if err := os.Truncate(draft, 0); err != nil {
			return err
		}
		_, err := s.writer.ExecContext(ctx, "VACUUM INTO ?", draft)
		return err
	})
	if err != nil {
		return err
	}
	// Schemas only grow: if it is still the same, so it was in the copy.
	if now, err := s.applied(ctx); err != nil || !slices.Equal(now, have) {
		return err
	}
	return errors.Join(syncPath(draft), os.Rename(draft, final), syncPath(filepath.Dir(final)))
}
