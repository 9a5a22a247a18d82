package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// fill writes chats with turns and changes the short way.
func fill(t testing.TB, f fixture, chats, turns int) {
	t.Helper()
	must(t, f.Exec(f.ctx, `
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO chats (id, repo_id, title, state, created_ms, last_used_ms, used_order, agents)
SELECT 'c-' || i, (SELECT id FROM repos), 'title ' || i, 'open', 1, 1, 1000 + i, '["goose","qwen"]' FROM n`, chats))
	must(t, f.Exec(f.ctx, `
INSERT INTO worktrees (chat_id, repo_id, common_dir, dir, base, baseline, state, reason, created_ms)
SELECT id, repo_id, CAST('/src/demo/.git' AS BLOB), CAST('/x/' || id AS BLOB), 'b', 'b', 'active', '', 1
FROM chats WHERE id LIKE 'c-%'`))
	must(t, f.Exec(f.ctx, `
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO turns (id, chat_id, number, agent, model, state, before_commit, after_commit, rung, input, output, cache_read,
    cache_write, cost, currency, context_used, context_size, owner_boot, owner_pid, owner_start, sent_ms, started_ms,
    ended_ms, stop, reason, prompt)
SELECT 't' || c.id || '-' || i, c.id, i, 'goose', '', 'completed', 'b', 'a', 'new',
    1, 2, 3, 4, 0.5, 'USD', 7, 8, 'boot', 1, 1, 1, 1, 1, 'end_turn', '', printf('%300s', 'prompt')
FROM n, chats c WHERE c.id LIKE 'c-%'`, turns))
	must(t, f.Exec(f.ctx, `
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO changes (id, chat_id, path, old_mode, old_id, new_mode, new_id, added, deleted, is_binary, state,
    superseded_by, applied_by, turn_id, created_ms, decided_ms, contributors)
SELECT 'p' || c.id || '-' || i, c.id, CAST('src/' || i AS BLOB), 33188, 'o', 33188, 'n', 1, 1, 0,
    CASE WHEN i % 3 = 0 THEN 'pending' ELSE 'superseded' END, NULL, NULL, NULL, 1, 1, '[]'
FROM n, chats c WHERE c.id LIKE 'c-%'`))
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "boo.db")
	s, err := store.Open(b.Context(), path, store.Options{})
	must(b, err)
	must(b, s.Close())
	for b.Loop() {
		s, err := store.Open(b.Context(), path, store.Options{})
		must(b, err)
		_, err = s.OpenTurns(b.Context())
		must(b, err)
		must(b, s.Close())
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f := newFixture(b)
			batch := texts(f.turn.ID, size)
			for b.Loop() {
				_, err := f.AppendEvents(f.ctx, f.chat, batch)
				must(b, err)
			}
			b.ReportMetric(float64(size*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkChats(b *testing.B) {
	f := newFixture(b)
	fill(b, f, 1000, 100)
	for b.Loop() {
		list, err := f.Chats(f.ctx, orchestrator.ChatQuery{})
		must(b, err)
		if len(list) != 1001 {
			b.Fatal(len(list))
		}
	}
}

func BenchmarkLastChat(b *testing.B) {
	f := newFixture(b)
	fill(b, f, 1000, 100)
	for b.Loop() {
		_, err := f.Chats(f.ctx, orchestrator.ChatQuery{Repo: f.repo.ID, Limit: 1})
		must(b, err)
	}
}

// The bounds are ten times and more what it takes, for slow machines.
func TestLargeHistoriesStayQuick(t *testing.T) {
	f := newFixture(t)
	begin := time.Now()
	const batch = 500
	for range manyEvents / batch {
		_, err := f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, batch))
		must(t, err)
	}
	written := time.Since(begin)
	after := orchestrator.Seq(1)
	for {
		list, err := f.Events(f.ctx, f.chat, f.turn.ID, after, 1000)
		must(t, err)
		if len(list) == 0 {
			break
		}
		for _, ev := range list {
			if after++; ev.Seq != after {
				t.Fatalf("event %d follows %d", ev.Seq, after-1)
			}
		}
	}
	if after != manyEvents+1 {
		t.Fatalf("%d events", after)
	}
	if read := time.Since(begin) - written; written > 60*time.Second || read > 30*time.Second {
		t.Fatalf("%d events took %s to write and %s to read", manyEvents, written, read)
	} else {
		t.Logf("%d events: written in %s, read in %s", manyEvents, written, read)
	}
}

// BenchmarkTurnBegins asks what a turn has to know of those before it, in a chat
// with few of them and in one with many.
func BenchmarkTurnBegins(b *testing.B) {
	few, many := newFixture(b), newFixture(b)
	fill(b, few, 1, 10)
	fill(b, many, 1, 5000)
	ask := func(f fixture, last int64) time.Duration {
		begin := time.Now()
		q := orchestrator.TurnQuery{Chat: "c-1", Before: last + 1, Agents: []orchestrator.AgentName{"goose", "qwen"}, Begun: true}
		turn, err := f.LastTurn(f.ctx, q)
		must(b, err)
		between, err := f.TurnsBetween(f.ctx, "c-1", turn.Number-1, last+1)
		must(b, err)
		if turn.Number != last || len(between) != 1 {
			b.Fatal(turn.Number, len(between))
		}
		return time.Since(begin)
	}
	var short, long time.Duration
	for b.Loop() {
		short, long = short+ask(few, 10), long+ask(many, 5000)
	}
	b.ReportMetric(float64(long)/float64(short), "5000/10-turns")
}
