package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// CROSS has SQLite go by the order of the tables: the chats are read in their
// order from an index, and what belongs to one is looked up as it comes.
const (
	briefColumns = "c.id, c.title, c.state, c.agents, c.last_state, c.name, c.last_used_ms, c.turns, c.pending"
	otherColumns = `,
       c.repo_id, c.kind, c.agent, c.model, r.root, w.common_dir, w.dir, w.base, w.baseline, w.state, w.reason,
       c.created_ms, w.created_ms, c.closed_ms, c.log_after`
	otherTables = `
CROSS JOIN repos r ON r.id = c.repo_id
CROSS JOIN worktrees w ON w.chat_id = c.id`
)

func selectSummaries(brief bool, where string) string {
	columns, tables := briefColumns+otherColumns, "chats c"+otherTables
	if brief {
		columns, tables = briefColumns, "chats c"
	}
	return fmt.Sprintf("SELECT %s FROM %s\n%s ORDER BY c.used_order DESC LIMIT ?", columns, tables, where)
}

// The columns: first those of briefColumns, then those of otherColumns.
const (
	sumID = iota
	sumTitle
	sumState
	sumAgents
	sumLastState
	sumName
	sumLastUsed
	sumTurns
	sumPending
	sumRepo
	sumKind
	sumAgent
	sumModel
	sumRoot
	sumCommonDir
	sumDir
	sumBase
	sumBaseline
	sumTreeState
	sumReason
	sumCreated
	sumTreeCreated
	sumClosed
	sumLogAfter
	sumColumns
)

// summaryRow is a row as the driver gives it: who lists a thousand chats waits
// for each conversion. What was not asked for is zero.
type summaryRow [sumColumns]any

func (r *summaryRow) text(column int) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

func (r *summaryRow) number(column int) int64 {
	n, _ := r[column].(int64)
	return n
}

// summaries reads rows; what agents a chat has is parsed once for all that have
// the same.
type summaries struct {
	list   []orchestrator.ChatSummary
	agents map[string][]orchestrator.AgentName
}

func (s *summaries) add(r *summaryRow) error {
	text := r.text(sumAgents)
	agents, known := s.agents[text]
	if !known {
		if err := json.Unmarshal([]byte(text), &agents); err != nil {
			return fmt.Errorf("read the agents of chat %s: %w", r.text(sumID), err)
		}
		s.agents[text] = agents
	}
	id, repo := orchestrator.ChatID(r.text(sumID)), orchestrator.RepoID(r.text(sumRepo))
	s.list = append(s.list, orchestrator.ChatSummary{
		Chat: orchestrator.Chat{
			ID: id, Repo: repo, Name: orchestrator.ChatName(r.text(sumName)), Kind: orchestrator.ChatKind(r.text(sumKind)),
			Agent: orchestrator.AgentName(r.text(sumAgent)), Model: r.text(sumModel), Title: r.text(sumTitle), State: orchestrator.ChatState(r.text(sumState)),
			CreatedAt: instant(r.number(sumCreated)), LastUsedAt: instant(r.number(sumLastUsed)),
			ClosedAt: instant(r.number(sumClosed)), LogAfter: orchestrator.Seq(r.number(sumLogAfter)),
		},
		RepoRoot: orchestrator.CheckoutDir(r.text(sumRoot)),
		Worktree: orchestrator.Worktree{
			Chat: id, Repo: repo, CommonDir: orchestrator.GitDir(r.text(sumCommonDir)), Dir: orchestrator.WorktreeDir(r.text(sumDir)),
			Base: orchestrator.ObjectID(r.text(sumBase)), Baseline: orchestrator.ObjectID(r.text(sumBaseline)),
			State: orchestrator.WorktreeState(r.text(sumTreeState)), Reason: r.text(sumReason), CreatedAt: instant(r.number(sumTreeCreated)),
		},
		Turns: int(r.number(sumTurns)), Pending: int(r.number(sumPending)),
		Agents: agents[:len(agents):len(agents)], LastState: orchestrator.TurnState(r.text(sumLastState)),
	})
	return nil
}

// Chats lists chats, the last used first.
func (s *Store) Chats(ctx context.Context, query orchestrator.ChatQuery) (list []orchestrator.ChatSummary, err error) {
	var f filter
	if query.Repo != "" {
		f.and("c.repo_id = ?", query.Repo)
	}
	if query.Called != "" {
		f.and("((c.id >= ? AND c.id < ?) OR (c.name = ? AND c.name <> ''))", query.Called, query.Called+"{", query.Called)
	}
	if query.Shown {
		f.and("c.state <> 'archived'")
	}
	text, args := selectSummaries(query.Brief, f.where()), append(f.args, atMost(query.Limit))
	err = s.read(ctx, "list chats", func(q sqlx.QueryerContext) error {
		list, err = listChats(ctx, q, text, args, query.Limit)
		return err
	})
	return list, err
}

// manyAtOnce is how many chats there is room for from the beginning: a list that
// grows is copied again and again, and room that is not used costs nothing.
func manyAtOnce(limit int) int {
	const most = 1024
	if limit <= 0 {
		return most
	}
	return min(limit, most)
}

// listChats reads what a query of summaries finds, at most limit of them, or all
// if that is 0.
func listChats(ctx context.Context, q sqlx.QueryerContext, query string, args []any, limit int) ([]orchestrator.ChatSummary, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var row summaryRow
	into := make([]any, len(columns))
	for i := range into {
		into[i] = &row[i]
	}
	found := summaries{list: make([]orchestrator.ChatSummary, 0, manyAtOnce(limit)), agents: map[string][]orchestrator.AgentName{}}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if err := found.add(&row); err != nil {
			return nil, err
		}
	}
	return found.list, rows.Err()
}
