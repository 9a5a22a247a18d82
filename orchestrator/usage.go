package orchestrator

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// UsageBy says what costs are added up by.
type UsageBy string

// What costs can be added up by.
const (
	UsageByAgent UsageBy = "agent"
	UsageByChat  UsageBy = "chat"
	UsageByRepo  UsageBy = "repo"
	UsageByDay   UsageBy = "day"
)

// ParseUsageBy accepts what costs can be added up by.
func ParseUsageBy(s string) (UsageBy, error) {
	by := UsageBy(s)
	if !slices.Contains([]UsageBy{UsageByAgent, UsageByChat, UsageByRepo, UsageByDay}, by) {
		return "", Errorf(CodeInvalid, "usage is by agent, chat, repo or day, not by %q", s)
	}
	return by, nil
}

// UsageLine is what some turns cost, in their agents' own figures. Each turn is
// in it once, with what it had cost when it ended: neither the replay of a
// session nor its end changes that, nor does the end of its chat.
type UsageLine struct {
	Key        string             `json:"key"`             // agent, chat id, place of the repository, or day (2026-03-01)
	Title      string             `json:"title,omitempty"` // of the chat
	Turns      int                `json:"turns"`
	Input      int64              `json:"input_tokens"`
	Output     int64              `json:"output_tokens"`
	CacheRead  int64              `json:"cache_read_tokens"`
	CacheWrite int64              `json:"cache_write_tokens"`
	Costs      map[string]float64 `json:"costs,omitempty"` // by currency
	Time       Millis             `json:"time_ms"`         // that the turns ran
}

// Add adds another line's figures.
func (l *UsageLine) Add(m UsageLine) {
	l.Turns += m.Turns
	l.Input += m.Input
	l.Output += m.Output
	l.CacheRead += m.CacheRead
	l.CacheWrite += m.CacheWrite
	l.Time += m.Time
	for currency, cost := range m.Costs {
		if l.Costs == nil {
			l.Costs = map[string]float64{}
		}
		l.Costs[currency] += cost
	}
}

// UsageStore adds up what turns cost.
type UsageStore interface {
	// Usage adds up by agent, chat or repo; by day it does so by quarters of an
	// hour, whose keys are their beginnings in milliseconds since 1970. There may
	// be several lines of one key.
	Usage(ctx context.Context, by UsageBy) ([]UsageLine, error)
}

// Usage adds up what turns cost; see [Service.Usage].
func (e *Engine) Usage(ctx context.Context, by UsageBy) ([]UsageLine, error) {
	parts, err := e.Store.Usage(ctx, by)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var lines []UsageLine
	for _, part := range parts {
		if by == UsageByDay {
			part.Key = e.day(part.Key)
		}
		i, known := at[part.Key]
		if !known {
			i = len(lines)
			at[part.Key] = i
			lines = append(lines, UsageLine{Key: part.Key, Title: part.Title})
		}
		lines[i].Add(part)
	}
	slices.SortFunc(lines, func(a, b UsageLine) int {
		if by == UsageByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Input+b.Output, a.Input+a.Output), cmp.Compare(a.Key, b.Key))
	})
	return lines, nil
}

// day is the day that a moment is of, where the person is.
func (e *Engine) day(millis string) string {
	var ms int64
	for _, digit := range millis {
		ms = ms*10 + int64(digit-'0')
	}
	return time.UnixMilli(ms).In(e.Now().Location()).Format(time.DateOnly)
}
