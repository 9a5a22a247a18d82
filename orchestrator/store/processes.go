package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type processRow struct {
	BootID    string                 `db:"boot_id"`
	PID       int                    `db:"pid"`
	StartTime int64                  `db:"start_time"`
	Chat      orchestrator.ChatID    `db:"chat_id"`
	Turn      orchestrator.TurnID    `db:"turn_id"`
	Agent     orchestrator.AgentName `db:"agent"`
	Tag       string                 `db:"tag"`
}

func (r processRow) process() (orchestrator.Process, error) {
	return orchestrator.Process{
		BootID: r.BootID, PID: r.PID, StartTime: uint64(r.StartTime), Chat: r.Chat, Turn: r.Turn, Agent: r.Agent, Tag: r.Tag,
	}, nil
}

func rowOfProcess(p orchestrator.Process) processRow {
	return processRow{
		BootID: p.BootID, PID: p.PID, StartTime: int64(p.StartTime), Chat: p.Chat, Turn: p.Turn, Agent: p.Agent, Tag: p.Tag,
	}
}

const upsertProcess = `
INSERT OR REPLACE INTO processes (boot_id, pid, start_time, chat_id, turn_id, agent, tag)
VALUES (:boot_id, :pid, :start_time, :chat_id, :turn_id, :agent, :tag)`

// PutProcess stores a process that boo started, or replaces its row.
func (s *Store) PutProcess(ctx context.Context, p orchestrator.Process) error {
	return s.write(ctx, synced, "store the process", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, upsertProcess, rowOfProcess(p))
		return err
	})
}

const deleteProcess = `DELETE FROM processes WHERE boot_id = :boot_id AND pid = :pid AND start_time = :start_time`

// DeleteProcess removes a process that is gone. That it was not there is no
// error: two that clean up may meet.
func (s *Store) DeleteProcess(ctx context.Context, p orchestrator.Process) error {
	return s.write(ctx, synced, "remove the process", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, deleteProcess, rowOfProcess(p))
		return err
	})
}

// Processes lists the processes that boo started and has not seen end.
func (s *Store) Processes(ctx context.Context) ([]orchestrator.Process, error) {
	var rows []processRow
	err := s.read(ctx, "list processes", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM processes ORDER BY boot_id, pid, start_time")
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, processRow.process)
}
