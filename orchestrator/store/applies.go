package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type applyRow struct {
	Ordinal     int64                   `db:"ordinal"`
	ID          orchestrator.ApplyID    `db:"id"`
	Chat        orchestrator.ChatID     `db:"chat_id"`
	Checkout    []byte                  `db:"checkout"`
	GitDir      []byte                  `db:"git_dir"`
	CommonDir   []byte                  `db:"common_dir"`
	StageDir    []byte                  `db:"stage_dir"`
	State       orchestrator.ApplyState `db:"state"`
	Undoing     bool                    `db:"undoing"`
	OldBaseline orchestrator.ObjectID   `db:"old_baseline"`
	NewBaseline orchestrator.ObjectID   `db:"new_baseline"`
	Created     int64                   `db:"created_ms"`
	Steps       string                  `db:"steps"`
	Kind        orchestrator.ApplyKind  `db:"kind"`
	Origin      []byte                  `db:"origin"`
	Landing     string                  `db:"landing"`
	Cleared     bool                    `db:"cleared"`
}

func (r applyRow) apply() (orchestrator.Apply, error) {
	a := orchestrator.Apply{
		ID: r.ID, Chat: r.Chat, Checkout: orchestrator.CheckoutDir(r.Checkout), GitDir: orchestrator.GitDir(r.GitDir),
		CommonDir: orchestrator.GitDir(r.CommonDir), StageDir: string(r.StageDir), State: r.State, Undoing: r.Undoing,
		OldBaseline: r.OldBaseline, NewBaseline: r.NewBaseline, CreatedAt: instant(r.Created),
		Kind: r.Kind, Origin: orchestrator.CheckoutDir(r.Origin),
	}
	if err := json.Unmarshal([]byte(r.Landing), &a.Landing); err != nil {
		return a, fmt.Errorf("read the landing of apply %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Steps), &a.Steps); err != nil {
		return a, fmt.Errorf("read the steps of apply %s: %w", r.ID, err)
	}
	return a, nil
}

func rowOfApply(a orchestrator.Apply) (applyRow, error) {
	steps, err := json.Marshal(a.Steps)
	if err != nil {
		return applyRow{}, fmt.Errorf("write the steps of apply %s: %w", a.ID, err)
	}
	landing, err := json.Marshal(a.Landing)
	if err != nil {
		return applyRow{}, fmt.Errorf("write the landing of apply %s: %w", a.ID, err)
	}
	return applyRow{
		ID: a.ID, Chat: a.Chat, Checkout: []byte(a.Checkout), GitDir: []byte(a.GitDir), CommonDir: []byte(a.CommonDir),
		StageDir: []byte(a.StageDir), State: a.State, Undoing: a.Undoing,
		OldBaseline: a.OldBaseline, NewBaseline: a.NewBaseline, Created: millis(a.CreatedAt), Steps: string(steps),
		Kind: cmp.Or(a.Kind, orchestrator.KindApply), Origin: []byte(cmp.Or(a.Origin, a.Checkout)), Landing: string(landing),
	}, nil
}

const insertApply = `
INSERT INTO applies (id, chat_id, checkout, git_dir, common_dir, stage_dir, state, undoing, old_baseline, new_baseline, created_ms, steps, kind, origin, landing)
VALUES (:id, :chat_id, :checkout, :git_dir, :common_dir, :stage_dir, :state, :undoing, :old_baseline, :new_baseline, :created_ms, :steps, :kind, :origin, :landing)`

// PutApply stores a new apply in state prepared, on disk when it returns.
func (s *Store) PutApply(ctx context.Context, a orchestrator.Apply) error {
	return s.write(ctx, synced, "store the journal of the apply", func(t *tx) error {
		a.State, a.CreatedAt = orchestrator.ApplyPrepared, orNow(a.CreatedAt, t.now)
		row, err := rowOfApply(a)
		if err != nil {
			return err
		}
		_, err = t.NamedExecContext(ctx, insertApply, row)
		if isDangling(err) {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "no chat %s", a.Chat)
		}
		return err
	})
}

// Applies lists applies in the given states, or in any if none is given, the
// newest first; an empty checkout selects all.
func (s *Store) Applies(ctx context.Context, checkout orchestrator.CheckoutDir, states ...orchestrator.ApplyState) ([]orchestrator.Apply, error) {
	var f filter
	if checkout != "" {
		f.and("checkout = ?", []byte(checkout))
	}
	if len(states) > 0 {
		f.and("state IN (SELECT value FROM json_each(?))", list(states))
	}
	var rows []applyRow
	err := s.read(ctx, "list applies", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM applies "+f.where()+" ORDER BY ordinal DESC", f.args...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, applyRow.apply)
}
