package store

import (
	"context"
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type repoRow struct {
	ID        orchestrator.RepoID `db:"id"`
	CommonDir []byte              `db:"common_dir"`
	Root      []byte              `db:"root"`
	Created   int64               `db:"created_ms"`
}

func (r repoRow) repo() orchestrator.Repo {
	return orchestrator.Repo{
		ID: r.ID, CommonDir: orchestrator.GitDir(r.CommonDir), Root: orchestrator.CheckoutDir(r.Root), CreatedAt: instant(r.Created),
	}
}

// PutRepo stores r, or returns the row that already has its CommonDir.
func (s *Store) PutRepo(ctx context.Context, r orchestrator.Repo) (orchestrator.Repo, error) {
	// Nearly always it is there, and reading waits for nobody.
	stored, err := s.RepoByDir(ctx, r.CommonDir)
	if err == nil || orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		return stored, err
	}
	err = s.write(ctx, synced, "store the repository", func(t *tx) error {
		stored, err = putRepo(ctx, t, r)
		return err
	})
	return stored, err
}

const insertRepo = `
INSERT INTO repos (id, common_dir, root, created_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (common_dir) DO NOTHING`

func putRepo(ctx context.Context, t *tx, r orchestrator.Repo) (orchestrator.Repo, error) {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = t.now
	}
	if _, err := t.ExecContext(ctx, insertRepo, r.ID, []byte(r.CommonDir), []byte(r.Root), millis(r.CreatedAt)); err != nil {
		return r, err
	}
	return repoByDir(ctx, t, r.CommonDir)
}

// Repo returns a repository.
func (s *Store) Repo(ctx context.Context, id orchestrator.RepoID) (orchestrator.Repo, error) {
	var row repoRow
	err := s.read(ctx, "look up the repository", func(q sqlx.QueryerContext) error {
		return orMissing(sqlx.GetContext(ctx, q, &row, "SELECT * FROM repos WHERE id = ?", id), "repository", id)
	})
	return row.repo(), err
}

// RepoByDir returns the repository with a common git directory.
func (s *Store) RepoByDir(ctx context.Context, common orchestrator.GitDir) (repo orchestrator.Repo, err error) {
	err = s.read(ctx, "look up the repository", func(q sqlx.QueryerContext) error {
		repo, err = repoByDir(ctx, q, common)
		return err
	})
	return repo, err
}

func repoByDir(ctx context.Context, q sqlx.QueryerContext, common orchestrator.GitDir) (orchestrator.Repo, error) {
	var row repoRow
	err := sqlx.GetContext(ctx, q, &row, "SELECT * FROM repos WHERE common_dir = ?", []byte(common))
	return row.repo(), orMissing(err, "chats in", common)
}

// MoveRepo stores that a repository is now at another place. Paths of applies
// that lay in it follow, so that they can still be undone.
func (s *Store) MoveRepo(ctx context.Context, r orchestrator.Repo, to orchestrator.GitDir, root orchestrator.CheckoutDir) error {
	return s.write(ctx, synced, "store the new place of the repository", func(t *tx) error {
		result, err := t.ExecContext(ctx, "UPDATE repos SET common_dir = ?, root = ? WHERE id = ? AND common_dir = ?",
			[]byte(to), []byte(root), r.ID, []byte(r.CommonDir))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, orchestrator.Errorf(orchestrator.CodeConflict, "repository %s was moved meanwhile", r.CommonDir))
		}
		if _, err := t.ExecContext(ctx, "UPDATE worktrees SET common_dir = ? WHERE repo_id = ? AND common_dir = ?",
			[]byte(to), r.ID, []byte(r.CommonDir)); err != nil {
			return err
		}
		for _, column := range []string{"checkout", "git_dir", "common_dir", "stage_dir", "origin"} {
			for _, dir := range [][2]string{{string(r.CommonDir), string(to)}, {string(r.Root), string(root)}} {
				if _, err := t.ExecContext(ctx, strings.ReplaceAll(moveApplies, "COLUMN", column), r.ID, []byte(dir[0]), []byte(dir[1])); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

const moveApplies = `
UPDATE applies SET COLUMN = CAST(?3 || substr(COLUMN, length(?2) + 1) AS BLOB)
WHERE chat_id IN (SELECT id FROM chats WHERE repo_id = ?1)
  AND (COLUMN = ?2 OR substr(COLUMN, 1, length(?2) + 1) = CAST(?2 || '/' AS BLOB))`
