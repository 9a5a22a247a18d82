package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type sizeRow struct {
	Chat      orchestrator.ChatID `db:"chat_id"`
	Bytes     int64               `db:"bytes"`
	Snapshots int64               `db:"snapshots"`
	Dirs      int64               `db:"directories"`
	Measured  int64               `db:"measured_ms"`
}

const upsertSize = `
INSERT OR REPLACE INTO worktree_sizes (chat_id, bytes, snapshots, directories, measured_ms)
VALUES (:chat_id, :bytes, :snapshots, :directories, :measured_ms)`

// PutSize stores what a chat's worktree was measured to take. CodeNotFound if
// there is no such chat.
func (s *Store) PutSize(ctx context.Context, chat orchestrator.ChatID, size orchestrator.TreeSize) error {
	return s.write(ctx, logged, "store the size of a worktree", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, upsertSize, sizeRow{
			Chat: chat, Bytes: size.Bytes, Snapshots: size.Snapshots, Dirs: size.Dirs, Measured: millis(size.Measured),
		})
		if isDangling(err) {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "no chat %s", chat)
		}
		return err
	})
}

// Sizes lists the sizes of all worktrees that were measured.
func (s *Store) Sizes(ctx context.Context) (sizes map[orchestrator.ChatID]orchestrator.TreeSize, err error) {
	err = s.read(ctx, "list the sizes of worktrees", func(q sqlx.QueryerContext) error {
		var rows []sizeRow
		if err := sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM worktree_sizes"); err != nil {
			return err
		}
		sizes = make(map[orchestrator.ChatID]orchestrator.TreeSize, len(rows))
		for _, r := range rows {
			sizes[r.Chat] = orchestrator.TreeSize{
				TreeUsage: orchestrator.TreeUsage{Bytes: r.Bytes, Snapshots: r.Snapshots, Dirs: r.Dirs}, Measured: instant(r.Measured),
			}
		}
		return nil
	})
	return sizes, err
}
