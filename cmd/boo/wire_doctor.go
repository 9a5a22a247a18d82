package main

import (
	"context"
	"path/filepath"

	"boo/backends/proc"
	"boo/cmd/boo/internal/doctor"
	"boo/orchestrator"
	"boo/orchestrator/store"
	"boo/worktree"
)

// openPatient opens what the doctor looks at. Nothing is settled by that, other
// than by the commands that work.
func openPatient(ctx context.Context, e *env, d dirs, c config) (doctor.Patient, func() error, error) {
	engine, err := openEngine(ctx, d, c)
	if err != nil {
		return doctor.Patient{}, nil, err
	}
	trees := engine.Trees.(*worktree.Engine)
	p := doctor.Patient{
		Rows: engine.Store.(*store.Store), Trees: trees, Alive: proc.Table{}.Alive,
		Registered: func(common orchestrator.GitDir) (map[orchestrator.ChatID]string, error) {
			list, err := trees.Registrations(common)
			places := map[orchestrator.ChatID]string{}
			for _, r := range list {
				places[r.Chat] = r.Dir
			}
			return places, err
		},
		Free: freeBytes, MinFree: int64(c.Worktree.MinFree),
		Private: []string{d.Data, d.State}, Worktrees: filepath.Join(d.Data, "worktrees"),
		Repair: func(ctx context.Context, chat orchestrator.ChatID) error { return repairOne(ctx, engine, chat) },
		Settle: func(ctx context.Context) error { return e.recover(ctx, engine) },
	}
	if tools, err := e.Agents(d, c); err == nil {
		p.Agents = len(installedAgents(tools.Registry))
	}
	return p, engine.Close, nil
}

// repairOne mends the worktree of a chat, or says why it could not be.
func repairOne(ctx context.Context, engine *orchestrator.Engine, chat orchestrator.ChatID) error {
	repairs, err := engine.Repair(ctx, orchestrator.ChatRef{Prefix: string(chat)})
	for _, r := range repairs {
		if r.Left != "" {
			err = orchestrator.Errorf(orchestrator.CodeConflict, "%s", r.Left).WithHint("%s", r.Hint)
		}
	}
	return err
}
