package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// A turn of which the agent told no currency adds no line of its own where it
// cost nothing; its row has ” then.
const sumUsage = `
SELECT %s AS key, %s AS title, t.currency AS currency, count(*) AS turns, sum(t.input) AS input, sum(t.output) AS output,
       sum(t.cache_read) AS cache_read, sum(t.cache_write) AS cache_write, sum(t.cost) AS cost,
       sum(CASE WHEN t.started_ms > 0 THEN max(t.ended_ms - t.started_ms, 0) ELSE 0 END) AS time_ms
FROM turns t JOIN chats c ON c.id = t.chat_id JOIN repos r ON r.id = c.repo_id
GROUP BY 1, 3 ORDER BY 1, 3`

type usageSum struct {
	Key        string  `db:"key"`
	Title      string  `db:"title"`
	Currency   string  `db:"currency"`
	Turns      int     `db:"turns"`
	Input      int64   `db:"input"`
	Output     int64   `db:"output"`
	CacheRead  int64   `db:"cache_read"`
	CacheWrite int64   `db:"cache_write"`
	Cost       float64 `db:"cost"`
	Time       int64   `db:"time_ms"`
}

func (r usageSum) line() (orchestrator.UsageLine, error) {
	l := orchestrator.UsageLine{
		Key: r.Key, Title: r.Title, Turns: r.Turns, Input: r.Input, Output: r.Output, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite,
		Time: orchestrator.Millis(r.Time),
	}
	if r.Cost != 0 {
		l.Costs = map[string]float64{r.Currency: r.Cost}
	}
	return l, nil
}

// Usage adds up what turns cost.
func (s *Store) Usage(ctx context.Context, by orchestrator.UsageBy) ([]orchestrator.UsageLine, error) {
	key, title := "t.agent", "''"
	switch by {
	case orchestrator.UsageByChat:
		key, title = "t.chat_id", "CASE c.name WHEN '' THEN c.title ELSE c.name END"
	case orchestrator.UsageByRepo:
		key = "CAST(r.root AS TEXT)"
	case orchestrator.UsageByDay: // the time zones are whole quarters of an hour apart
		key = "CAST(t.sent_ms / 900000 * 900000 AS TEXT)"
	}
	var rows []usageSum
	err := s.read(ctx, "add up the usage", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, fmt.Sprintf(sumUsage, key, title))
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, usageSum.line)
}
