package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type approvalRow struct {
	Repo    orchestrator.RepoID      `db:"repo_id"`
	Kind    orchestrator.CommandKind `db:"kind"`
	Digest  string                   `db:"digest"`
	Created int64                    `db:"created_ms"`
}

const insertApproval = `
INSERT INTO approvals (repo_id, kind, digest, created_ms) VALUES (:repo_id, :kind, :digest, :created_ms)
ON CONFLICT DO NOTHING`

// Approve stores an approval; that it is there already is no error.
func (s *Store) Approve(ctx context.Context, a orchestrator.Approval) error {
	return s.write(ctx, synced, "store the approval", func(t *tx) error {
		if a.At.IsZero() {
			a.At = t.now
		}
		_, err := t.NamedExecContext(ctx, insertApproval, approvalRow{Repo: a.Repo, Kind: a.Kind, Digest: a.Digest, Created: millis(a.At)})
		if isDangling(err) {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "no repository %s", a.Repo)
		}
		return err
	})
}

// Approvals lists the approvals of a repository, the newest first.
func (s *Store) Approvals(ctx context.Context, repo orchestrator.RepoID) (list []orchestrator.Approval, err error) {
	err = s.read(ctx, "list approvals", func(q sqlx.QueryerContext) error {
		var rows []approvalRow
		list = nil
		if err := sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM approvals WHERE repo_id = ? ORDER BY created_ms DESC, kind", repo); err != nil {
			return err
		}
		for _, r := range rows {
			list = append(list, orchestrator.Approval{Repo: r.Repo, Kind: r.Kind, Digest: r.Digest, At: instant(r.Created)})
		}
		return nil
	})
	return list, err
}

// RevokeApprovals removes all approvals of a repository and returns how many
// they were.
func (s *Store) RevokeApprovals(ctx context.Context, repo orchestrator.RepoID) (n int, err error) {
	err = s.write(ctx, synced, "remove approvals", func(t *tx) error {
		result, err := t.ExecContext(ctx, "DELETE FROM approvals WHERE repo_id = ?", repo)
		if err != nil {
			return err
		}
		rows, err := result.RowsAffected()
		n = int(rows)
		return err
	})
	return n, err
}
