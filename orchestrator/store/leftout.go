package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// LeftOut tells what the newest turns of chats say that snapshots left out: by
// chat, those alone where something was.
func (s *Store) LeftOut(ctx context.Context, chats []orchestrator.ChatID) (map[orchestrator.ChatID][]orchestrator.SkippedPath, error) {
	var rows []eventRow
	err := s.read(ctx, "list what snapshots left out", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, newestSummaries, list(chats))
	})
	if err != nil {
		return nil, err
	}
	left := map[orchestrator.ChatID][]orchestrator.SkippedPath{}
	for _, row := range rows {
		ev, err := row.event()
		if err != nil {
			return nil, err
		}
		if ev.Summary != nil && len(ev.Summary.Skipped) > 0 {
			left[ev.Chat] = ev.Summary.Skipped
		}
	}
	return left, nil
}

// A turn's summary is its last event but one, so each is found from the end.
const newestSummaries = `
SELECT events.* FROM json_each(?) AS chat JOIN events ON events.chat_id = chat.value
WHERE events.seq = (SELECT seq FROM events AS e WHERE e.chat_id = chat.value AND e.kind = 'summary' ORDER BY seq DESC LIMIT 1)`
