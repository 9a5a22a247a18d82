package store

import "boo/orchestrator"

// usageRow has the fields of [orchestrator.Usage], and so converts to it.
type usageRow struct {
	Input       int64   `db:"input"`
	Output      int64   `db:"output"`
	CacheRead   int64   `db:"cache_read"`
	CacheWrite  int64   `db:"cache_write"`
	Cost        float64 `db:"cost"`
	Currency    string  `db:"currency"`
	ContextUsed int64   `db:"context_used"`
	ContextSize int64   `db:"context_size"`
}

func (r usageRow) usage() orchestrator.Usage { return orchestrator.Usage(r) }
