package store

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// The ports that worktrees get are below those that systems hand out to
// connections by themselves.
const (
	firstPort = 20_000
	lastPort  = 32_000
	portRange = 10
)

// freePort returns the first of a range of ports that no worktree has, not even
// an archived one, which may be restored; 0 if all are taken.
const freePort = `
WITH RECURSIVE ranges (port) AS (
    SELECT ?1 UNION ALL SELECT port + ?3 FROM ranges WHERE port + ?3 < ?2
)
SELECT coalesce(min(port), 0) FROM ranges
WHERE NOT EXISTS (SELECT 1 FROM worktrees w WHERE w.port = ranges.port AND w.port > 0 AND w.state <> 'purged')`

func nextPort(ctx context.Context, t *tx) (port int, err error) {
	return port, sqlx.GetContext(ctx, t, &port, freePort, firstPort, lastPort, portRange)
}
