package store

import (
	"cmp"
	"context"
	"strings"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type chatRow struct {
	ID        orchestrator.ChatID    `db:"id"`
	Repo      orchestrator.RepoID    `db:"repo_id"`
	Title     string                 `db:"title"`
	State     orchestrator.ChatState `db:"state"`
	Created   int64                  `db:"created_ms"`
	LastUsed  int64                  `db:"last_used_ms"`
	UsedOrder int64                  `db:"used_order"`
	Agents    string                 `db:"agents"`
	Name      orchestrator.ChatName  `db:"name"`
	Kind      orchestrator.ChatKind  `db:"kind"`
	Agent     orchestrator.AgentName `db:"agent"`
	Model     string                 `db:"model"`
	Closed    int64                  `db:"closed_ms"`
	LogAfter  orchestrator.Seq       `db:"log_after"`

	// Kept by triggers.
	Turns     int                    `db:"turns"`
	LastState orchestrator.TurnState `db:"last_state"`
	Pending   int                    `db:"pending"`
}

func (r chatRow) chat() orchestrator.Chat {
	return orchestrator.Chat{
		ID: r.ID, Repo: r.Repo, Name: r.Name, Kind: r.Kind, Agent: r.Agent, Model: r.Model, Title: r.Title, State: r.State, CreatedAt: instant(r.Created), LastUsedAt: instant(r.LastUsed),
		ClosedAt: instant(r.Closed), LogAfter: r.LogAfter,
	}
}

// Chat returns a chat.
func (s *Store) Chat(ctx context.Context, id orchestrator.ChatID) (orchestrator.Chat, error) {
	var row chatRow
	err := s.read(ctx, "look up the chat", func(q sqlx.QueryerContext) error {
		return orMissing(sqlx.GetContext(ctx, q, &row, "SELECT * FROM chats WHERE id = ?", id), "chat", id)
	})
	return row.chat(), err
}

const insertChat = `
INSERT INTO chats (id, repo_id, title, state, created_ms, last_used_ms, name, kind, agent, model, used_order)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(used_order), 0) + 1 FROM chats))`

func putChat(ctx context.Context, t *tx, c orchestrator.Chat) error {
	if c.CreatedAt.IsZero() {
		c.CreatedAt = t.now
	}
	c.Kind = cmp.Or(c.Kind, orchestrator.KindChat)
	_, err := t.ExecContext(ctx, insertChat, c.ID, c.Repo, c.Title, c.State, millis(c.CreatedAt), millis(t.now), c.Name, c.Kind, c.Agent, c.Model)
	switch {
	case isTaken(err) && strings.Contains(err.Error(), "chats.name"):
		return orchestrator.Errorf(orchestrator.CodeConflict, "another chat of this repository has the name %s; nothing was made", c.Name).
			WithHint("boo chat show %s", c.Name)
	case isTaken(err):
		return orchestrator.Errorf(orchestrator.CodeConflict, "chat %s is there already", c.ID)
	case isDangling(err):
		return orchestrator.Errorf(orchestrator.CodeNotFound, "no repository %s", c.Repo)
	}
	return err
}

const touchChat = `
UPDATE chats SET last_used_ms = ?, used_order = (SELECT max(used_order) + 1 FROM chats) WHERE id = ?`

func useChat(ctx context.Context, t *tx, id orchestrator.ChatID) error {
	_, err := t.ExecContext(ctx, touchChat, millis(t.now), id)
	return err
}

// The first prompt of a chat that was made without one gives it its title.
const setTitle = `UPDATE chats SET title = ? WHERE id = ? AND title = ''`

func entitle(ctx context.Context, t *tx, turn orchestrator.Turn) error {
	_, err := t.ExecContext(ctx, setTitle, orchestrator.Title(turn.Prompt), turn.Chat)
	return err
}

const addAgent = `
UPDATE chats SET agents = json_insert(agents, '$[#]', ?1)
WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM json_each(agents) WHERE value = ?1)`

// joinChat notes that an agent has a turn in the chat.
func joinChat(ctx context.Context, t *tx, id orchestrator.ChatID, agent orchestrator.AgentName) error {
	_, err := t.ExecContext(ctx, addAgent, agent, id)
	return err
}
