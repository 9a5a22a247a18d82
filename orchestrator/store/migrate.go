package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

//go:embed migrations/*.sql
var migrations embed.FS

// embedded returns the migrations in their order. The file names begin with
// their numbers, 0001 and on; the n-th leads to schema n.
func embedded() []string {
	const dir = "migrations"
	entries, err := migrations.ReadDir(dir)
	if err != nil {
		panic(err) // the files are part of the program
	}
	steps := make([]string, len(entries))
	for i, entry := range entries {
		text, err := migrations.ReadFile(dir + "/" + entry.Name())
		if err != nil {
			panic(err)
		}
		steps[i] = string(text)
	}
	return steps
}

// migrate brings the schema up to date. Several processes may be at it.
func (s *Store) migrate(ctx context.Context, steps []string) error {
	const doing = "open the store"
	saved := false
	for {
		version, err := s.version(ctx)
		switch {
		case err != nil:
			return s.explain(doing, err)
		case version == len(steps):
			return nil
		case version > len(steps):
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s was written by a newer boo: it has schema %d, this one knows schemas up to %d; nothing was changed",
				s.path, version, len(steps)).WithHint("update boo, or export BOO_HOME=/another/directory")
		}
		if version > 0 && !saved {
			if err := s.backup(ctx, version); err != nil {
				return s.explain(fmt.Sprintf("back up the store before its schema %d is changed", version), err)
			}
			saved = true
		}
		if err := s.step(ctx, version, steps[version]); err != nil {
			return err
		}
	}
}

func (s *Store) version(ctx context.Context) (version int, err error) {
	err = s.patiently(ctx, func() error { return s.writer.GetContext(ctx, &version, "PRAGMA user_version") })
	return version, err
}

// step runs one migration, unless another process has done so meanwhile.
func (s *Store) step(ctx context.Context, from int, statements string) error {
	doing := fmt.Sprintf("bring the store to schema %d", from+1)
	return s.write(ctx, synced, doing, func(t *tx) error {
		var version, tables int
		if err := t.GetContext(ctx, &version, "PRAGMA user_version"); err != nil || version != from {
			return err
		}
		if err := t.GetContext(ctx, &tables, "SELECT count(*) FROM sqlite_schema"); err != nil {
			return err
		}
		if from == 0 && tables > 0 {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s is a database, but not one of boo's; nothing was changed", s.path).
				WithHint("mv %s %s.other", s.path, s.path)
		}
		if _, err := t.ExecContext(ctx, statements); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", from+1))
		return err
	})
}

// backup copies the file as it is at schema version to "<path>.v<version>.bak",
// on disk when it returns. An earlier backup of that name is replaced: it is of
// a migration that did not come to pass.
func (s *Store) backup(ctx context.Context, version int) error {
	final := fmt.Sprintf("%s.v%d.bak", s.path, version)
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
	if now, err := s.version(ctx); err != nil || now != version {
		return err
	}
	return errors.Join(syncPath(draft), os.Rename(draft, final), syncPath(filepath.Dir(final)))
}
