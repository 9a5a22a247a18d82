package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type checkRow struct {
	ID       int64                 `db:"id"`
	Repo     orchestrator.RepoID   `db:"repo_id"`
	Tree     orchestrator.ObjectID `db:"tree"`
	Digest   string                `db:"digest"`
	Under    orchestrator.ObjectID `db:"under"`
	Name     string                `db:"name"`
	Exit     int                   `db:"exit_code"`
	TimedOut bool                  `db:"timed_out"`
	Took     int64                 `db:"took_ms"`
	Ended    int64                 `db:"ended_ms"`
	Changes  int                   `db:"changes"`
	Command  string                `db:"command"`
	Tail     string                `db:"tail"`
}

func (r checkRow) result() orchestrator.CheckResult {
	return orchestrator.CheckResult{
		Name: r.Name, Command: r.Command, Digest: r.Digest, Under: r.Under, Tree: r.Tree, Exit: r.Exit, TimedOut: r.TimedOut,
		Took: time.Duration(r.Took) * time.Millisecond, At: instant(r.Ended), Tail: r.Tail,
	}
}

const putCheckRun = `
INSERT INTO check_runs (repo_id, tree, digest, under, name, exit_code, timed_out, took_ms, ended_ms, changes, command, tail)
VALUES (:repo_id, :tree, :digest, :under, :name, :exit_code, :timed_out, :took_ms, :ended_ms, :changes, :command, :tail)
ON CONFLICT (repo_id, tree, digest) DO UPDATE SET
    under = excluded.under, exit_code = excluded.exit_code, timed_out = excluded.timed_out, took_ms = excluded.took_ms,
    ended_ms = excluded.ended_ms, changes = excluded.changes, tail = excluded.tail
RETURNING id`

// PutCheck stores how a check ended, with the changes that it was about.
func (s *Store) PutCheck(ctx context.Context, repo orchestrator.RepoID, r orchestrator.CheckResult, changes []orchestrator.ChangeID) error {
	return s.write(ctx, synced, "store how a check ended", func(t *tx) error {
		row := checkRow{
			Repo: repo, Tree: r.Tree, Digest: r.Digest, Under: r.Under, Name: r.Name, Exit: r.Exit, TimedOut: r.TimedOut,
			Took: r.Took.Milliseconds(), Ended: millis(orNow(r.At, t.now)), Changes: len(changes), Command: r.Command, Tail: r.Tail,
		}
		query, args, err := t.BindNamed(putCheckRun, row)
		if err != nil {
			return err
		}
		if err := sqlx.GetContext(ctx, t, &row.ID, query, args...); err != nil {
			return dangling(err)
		}
		if _, err := t.ExecContext(ctx, "DELETE FROM check_changes WHERE run_id = ?", row.ID); err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, "INSERT INTO check_changes (change_id, run_id) SELECT DISTINCT value, ? FROM json_each(?)", row.ID, list(changes))
		return dangling(err)
	})
}

func dangling(err error) error {
	if isDangling(err) {
		return orchestrator.Errorf(orchestrator.CodeNotFound, "the changes that were checked, or their repository, are not there any more")
	}
	return err
}

// KnownCheck says how a check ended on a tree; CodeNotFound if it did not.
func (s *Store) KnownCheck(ctx context.Context, repo orchestrator.RepoID, tree orchestrator.ObjectID, digest string) (orchestrator.CheckResult, error) {
	var rows []checkRow
	err := s.read(ctx, "look for a check", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM check_runs WHERE repo_id = ? AND tree = ? AND digest = ?", repo, tree, digest)
	})
	if err == nil && len(rows) == 0 {
		err = orchestrator.Errorf(orchestrator.CodeNotFound, "no such check has been run on %s", tree.Short())
	}
	if err != nil {
		return orchestrator.CheckResult{}, err
	}
	return rows[0].result(), nil
}

// linkRow says that a check was about a change.
type linkRow struct {
	Change orchestrator.ChangeID `db:"change_id"`
	Run    int64                 `db:"run_id"`
}

// CheckedChanges lists the newest result of each check for pending changes.
func (s *Store) CheckedChanges(ctx context.Context, repo orchestrator.RepoID) (map[orchestrator.ChangeID][]orchestrator.CheckResult, error) {
	var runs, links filter
	if repo != "" {
		runs.and("repo_id = ?", repo)
		links.and("r.repo_id = ?", repo)
	}
	runs.and("EXISTS (SELECT 1 FROM check_changes l JOIN changes c ON c.id = l.change_id WHERE l.run_id = check_runs.id AND c.state = 'pending')")
	links.and("c.state = 'pending'")
	var rows []checkRow
	var pairs []linkRow
	err := s.read(ctx, "list checks", func(q sqlx.QueryerContext) error {
		rows, pairs = nil, nil
		err := sqlx.SelectContext(ctx, q, &pairs, `
			SELECT l.change_id, l.run_id FROM check_runs r JOIN check_changes l ON l.run_id = r.id JOIN changes c ON c.id = l.change_id `+links.where(), links.args...)
		if err != nil || len(pairs) == 0 {
			return err
		}
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM check_runs "+runs.where()+" ORDER BY name, ended_ms, id", runs.args...)
	})
	if err != nil {
		return nil, err
	}
	return newestChecks(rows, pairs), nil
}

// newestChecks gives each change the last of the runs of each check. The runs
// are in the order of their names and times.
func newestChecks(runs []checkRow, pairs []linkRow) map[orchestrator.ChangeID][]orchestrator.CheckResult {
	of := map[int64][]orchestrator.ChangeID{}
	for _, p := range pairs {
		of[p.Run] = append(of[p.Run], p.Change)
	}
	known := map[orchestrator.ChangeID][]orchestrator.CheckResult{}
	for _, run := range runs {
		r := run.result()
		r.Stale = len(of[run.ID]) < run.Changes // of the changes some are not pending any more
		for _, id := range of[run.ID] {
			list := known[id]
			if last := len(list) - 1; last >= 0 && list[last].Name == r.Name {
				list = list[:last]
			}
			known[id] = append(list, r)
		}
	}
	return known
}
