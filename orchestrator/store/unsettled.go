package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// Each condition is, word for word, that of an index which holds nothing else.
const selectUnsettled = `
SELECT EXISTS (SELECT 1 FROM applies WHERE cleared = 0) AS applies,
    EXISTS (SELECT 1 FROM turns WHERE state IN ('queued', 'accepted', 'running', 'cancelling')) AS turns,
    EXISTS (SELECT 1 FROM processes) AS processes,
    EXISTS (SELECT 1 FROM chats WHERE state = 'closing') AS closings`

// Unsettled tells of what something is on record that a boo which died may have
// left, in one query.
func (s *Store) Unsettled(ctx context.Context) (u orchestrator.Unsettled, err error) {
	err = s.read(ctx, "look for what is not settled", func(q sqlx.QueryerContext) error {
		return q.QueryRowxContext(ctx, selectUnsettled).Scan(&u.Applies, &u.Turns, &u.Processes, &u.Closings)
	})
	return u, err
}
