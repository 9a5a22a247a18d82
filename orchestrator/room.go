package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostNamed is how many chats are named whose worktrees could go.
const mostNamed = 3

// room reports nil if there is room for another worktree, else CodeFull with what
// could make some. A disk that cannot be looked at is not taken for a full one:
// who writes to it finds out.
func (e *Engine) room(ctx context.Context) error {
	if e.Free == nil {
		return nil
	}
	free, err := e.Free(e.Worktrees)
	if err != nil || free >= e.MinFree {
		return nil
	}
	full := Errorf(CodeFull, "%s are free for worktrees in %s, and %s are to stay so (worktree.min_free); no worktree was made",
		Bytes(free), e.Worktrees, Bytes(e.MinFree)).WithHint("df -h %s", e.Worktrees)
	large, err := e.largest(ctx)
	if err != nil || len(large) == 0 {
		return full
	}
	full.Msg += "; what could go: " + strings.Join(describeLarge(large), ", ")
	return full.WithHint("boo worktree archive %s", large[0].Chat)
}

// largest lists worktrees that nobody uses now: those of closed chats first, then
// those that take most.
func (e *Engine) largest(ctx context.Context) ([]WorktreeInfo, error) {
	chats, err := e.Store.Chats(ctx, ChatQuery{})
	if err != nil {
		return nil, err
	}
	sizes, err := e.Store.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	open, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return nil, err
	}
	closed := map[ChatID]bool{}
	var list []WorktreeInfo
	for _, c := range chats {
		busy := slices.ContainsFunc(open, func(t Turn) bool { return t.Chat == c.ID })
		if c.Worktree.State == WorktreeActive && !busy {
			closed[c.ID] = c.State != ChatOpen
			list = append(list, WorktreeInfo{Chat: c.ID, LastUsed: c.LastUsedAt, TreeSize: sizes[c.ID]})
		}
	}
	slices.SortStableFunc(list, func(a, b WorktreeInfo) int {
		if closed[a.Chat] != closed[b.Chat] {
			if closed[a.Chat] {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Bytes, a.Bytes)
	})
	return list[:min(len(list), mostNamed)], nil
}

func describeLarge(list []WorktreeInfo) (words []string) {
	for _, w := range list {
		what := "not measured"
		if !w.Measured.IsZero() {
			what = Bytes(w.Bytes)
		}
		words = append(words, fmt.Sprintf("chat %s (%s, last used %s)", w.Chat, what, w.LastUsed.Local().Format("2006-01-02")))
	}
	return words
}

// Bytes is a number of bytes in words for people: "1.5 GiB".
func Bytes(n int64) string {
	value, unit := float64(n), "bytes"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	if unit == "bytes" {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}
