package store

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type worktreeRow struct {
	Chat      orchestrator.ChatID        `db:"chat_id"`
	Repo      orchestrator.RepoID        `db:"repo_id"`
	CommonDir []byte                     `db:"common_dir"`
	Dir       []byte                     `db:"dir"`
	Base      orchestrator.ObjectID      `db:"base"`
	Baseline  orchestrator.ObjectID      `db:"baseline"`
	State     orchestrator.WorktreeState `db:"state"`
	Reason    string                     `db:"reason"`
	Created   int64                      `db:"created_ms"`
	Source    []byte                     `db:"source"`
	Port      int                        `db:"port"`
	Setup     string                     `db:"setup"`
	Sparse    string                     `db:"sparse"`
	Archived  int64                      `db:"archived_ms"`
	Identity  string                     `db:"identity"`
}

func (r worktreeRow) worktree() orchestrator.Worktree {
	var sparse []string
	if r.Sparse != "[]" {
		_ = json.Unmarshal([]byte(r.Sparse), &sparse) // only putWorktree writes it
	}
	return orchestrator.Worktree{
		Chat: r.Chat, Repo: r.Repo, CommonDir: orchestrator.GitDir(r.CommonDir), Dir: orchestrator.WorktreeDir(r.Dir),
		Base: r.Base, Baseline: r.Baseline, State: r.State, Reason: r.Reason, CreatedAt: instant(r.Created),
		Source: orchestrator.CheckoutDir(r.Source), Port: r.Port, Setup: r.Setup, Sparse: sparse, Identity: r.Identity,
	}
}

func rowOfWorktree(w orchestrator.Worktree) worktreeRow {
	return worktreeRow{
		Chat: w.Chat, Repo: w.Repo, CommonDir: []byte(w.CommonDir), Dir: []byte(w.Dir),
		Base: w.Base, Baseline: w.Baseline, State: w.State, Reason: w.Reason, Created: millis(w.CreatedAt),
		Source: append([]byte{}, w.Source...), Port: w.Port, Setup: w.Setup, Sparse: list(append([]string{}, w.Sparse...)),
	}
}

// Worktree returns the row of a chat's worktree.
func (s *Store) Worktree(ctx context.Context, chat orchestrator.ChatID) (wt orchestrator.Worktree, err error) {
	err = s.read(ctx, "look up the worktree", func(q sqlx.QueryerContext) error {
		wt, err = worktreeOf(ctx, q, chat)
		return err
	})
	return wt, err
}

func worktreeOf(ctx context.Context, q sqlx.QueryerContext, chat orchestrator.ChatID) (orchestrator.Worktree, error) {
	var row worktreeRow
	err := sqlx.GetContext(ctx, q, &row, "SELECT * FROM worktrees WHERE chat_id = ?", chat)
	return row.worktree(), orMissing(err, "chat", chat)
}

const insertWorktree = `
INSERT INTO worktrees (chat_id, repo_id, common_dir, dir, base, baseline, state, reason, created_ms, source, port, setup, sparse)
VALUES (:chat_id, :repo_id, :common_dir, :dir, :base, :baseline, :state, :reason, :created_ms, :source, :port, :setup, :sparse)`

// putWorktree gives the worktree a range of ports of its own.
func putWorktree(ctx context.Context, t *tx, w orchestrator.Worktree) error {
	if w.CreatedAt.IsZero() {
		w.CreatedAt = t.now
	}
	var err error
	if w.Port, err = nextPort(ctx, t); err != nil {
		return err
	}
	_, err = t.NamedExecContext(ctx, insertWorktree, rowOfWorktree(w))
	if isTaken(err) {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s is the worktree of another chat", w.Dir)
	}
	return err
}

// MoveWorktree sets the state if it is one of from, else CodeBusy. CodeConflict
// if its directory has become another chat's meanwhile.
func (s *Store) MoveWorktree(ctx context.Context, chat orchestrator.ChatID, from []orchestrator.WorktreeState, to orchestrator.WorktreeState, reason string) error {
	return s.write(ctx, synced, "store the state of the worktree", func(t *tx) error {
		return moveWorktree(ctx, t, chat, from, to, reason)
	})
}

const setWorktree = `
UPDATE worktrees SET state = ?2, reason = ?3, archived_ms = CASE WHEN ?2 = 'archived' THEN ?4 ELSE archived_ms END WHERE chat_id = ?1`

func moveWorktree(ctx context.Context, t *tx, chat orchestrator.ChatID, from []orchestrator.WorktreeState, to orchestrator.WorktreeState, reason string) error {
	wt, err := worktreeOf(ctx, t, chat)
	if err != nil {
		return err
	}
	if !slices.Contains(from, wt.State) {
		return orchestrator.Errorf(orchestrator.CodeBusy, "the worktree of chat %s is %s, and cannot become %s from there", chat, wt.State, to)
	}
	_, err = t.ExecContext(ctx, setWorktree, chat, to, reason, millis(t.now))
	if isTaken(err) {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s is the worktree of another chat", wt.Dir)
	}
	return err
}

// SetSetup stores the digest of the setup that a worktree has had.
func (s *Store) SetSetup(ctx context.Context, chat orchestrator.ChatID, digest string) error {
	return s.write(ctx, synced, "store that the worktree is set up", func(t *tx) error {
		_, err := t.ExecContext(ctx, "UPDATE worktrees SET setup = ? WHERE chat_id = ?", digest, chat)
		return err
	})
}

// SetIdentity stores which directory a worktree is.
func (s *Store) SetIdentity(ctx context.Context, chat orchestrator.ChatID, identity string) error {
	return s.write(ctx, logged, "store which directory the worktree is", func(t *tx) error {
		_, err := t.ExecContext(ctx, "UPDATE worktrees SET identity = ? WHERE chat_id = ?", identity, chat)
		return err
	})
}

const setBaseline = `UPDATE worktrees SET baseline = ?2 WHERE chat_id = ?1`

// moveBaseline takes the baseline from one commit to another. CodeConflict if
// it is not there any more.
func moveBaseline(ctx context.Context, t *tx, chat orchestrator.ChatID, from, to orchestrator.ObjectID) error {
	if err := holdsBaseline(ctx, t, chat, from); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, setBaseline, chat, to)
	return err
}

// holdsBaseline checks that the baseline is where the caller saw it.
func holdsBaseline(ctx context.Context, t *tx, chat orchestrator.ChatID, baseline orchestrator.ObjectID) error {
	wt, err := worktreeOf(ctx, t, chat)
	if err != nil {
		return err
	}
	if wt.Baseline != baseline {
		return orchestrator.Errorf(orchestrator.CodeConflict, "changes of chat %s were applied or undone meanwhile", chat)
	}
	return nil
}
