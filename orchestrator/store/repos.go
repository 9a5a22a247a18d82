package store

import (
	"context"

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
