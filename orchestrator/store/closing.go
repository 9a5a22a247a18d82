package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// MoveChat takes a chat from a state to another one. CodeBusy if it is in another
// state, or if one of its turns is open and it is not to be so itself. Closed,
// its sessions are; archived, they are forgotten, and another may take its name.
func (s *Store) MoveChat(ctx context.Context, m orchestrator.ChatMove) error {
	return s.write(ctx, synced, "store the state of the chat", func(t *tx) error { return moveChat(ctx, t, m) })
}

// A chat that was removed has its name back if no other has taken it meanwhile.
const setChatState = `
UPDATE chats SET state = ?2, closed_ms = CASE WHEN ?2 IN ('closed', 'archived') THEN ?3 ELSE 0 END,
    name = iif(state = 'archived' AND EXISTS (
        SELECT 1 FROM chats o WHERE o.name = chats.name AND o.repo_id = chats.repo_id AND o.state <> 'archived'), '', name)
WHERE id = ?1`

func moveChat(ctx context.Context, t *tx, m orchestrator.ChatMove) error {
	state, err := chatState(ctx, t, m.Chat)
	if err != nil {
		return err
	}
	if !slices.Contains(m.From, state) {
		return orchestrator.Errorf(orchestrator.CodeBusy, "chat %s is %s, and cannot become %s from there", m.Chat, state, m.To)
	}
	if m.To != orchestrator.ChatOpen {
		if err := noOpenTurn(ctx, t, m.Chat); err != nil {
			return err
		}
	}
	if _, err := t.ExecContext(ctx, setChatState, m.Chat, m.To, millis(t.now)); err != nil {
		return err
	}
	switch m.To {
	case orchestrator.ChatClosed:
		_, err = t.ExecContext(ctx, "UPDATE sessions SET state = 'closed' WHERE chat_id = ? AND state <> 'none'", m.Chat)
	case orchestrator.ChatArchived:
		err = forget(ctx, t, m.Chat, nil)
	}
	if err != nil || m.Notice == "" {
		return err
	}
	_, err = appendEvents(ctx, t, m.Chat, []orchestrator.Event{{Kind: orchestrator.EventNotice, Text: m.Notice}})
	return err
}

func chatState(ctx context.Context, t *tx, id orchestrator.ChatID) (state orchestrator.ChatState, err error) {
	err = t.GetContext(ctx, &state, "SELECT state FROM chats WHERE id = ?", id)
	return state, orMissing(err, "chat", id)
}

// The condition is that of the index turns_open.
const selectOpenTurn = `
SELECT id FROM turns WHERE chat_id = ? AND state IN ('queued', 'accepted', 'running', 'cancelling') ORDER BY number LIMIT 1`

func noOpenTurn(ctx context.Context, t *tx, chat orchestrator.ChatID) error {
	var open []orchestrator.TurnID
	if err := sqlx.SelectContext(ctx, t, &open, selectOpenTurn, chat); err != nil || len(open) == 0 {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeBusy, "turn %s of chat %s is not over", open[0], chat)
}

// ClosingChats lists the chats that are being closed.
func (s *Store) ClosingChats(ctx context.Context) (chats []orchestrator.ChatID, err error) {
	err = s.read(ctx, "list the chats that are being closed", func(q sqlx.QueryerContext) error {
		chats = nil
		return sqlx.SelectContext(ctx, q, &chats, "SELECT id FROM chats WHERE state = 'closing' ORDER BY id")
	})
	return chats, err
}

// reopen takes a chat that a prompt goes to out of its end. notice is for its log.
func reopen(ctx context.Context, t *tx, chat orchestrator.ChatID) (notice string, err error) {
	state, err := chatState(ctx, t, chat)
	if err != nil || state == orchestrator.ChatOpen {
		return "", err
	}
	if state == orchestrator.ChatClosing {
		return "", orchestrator.Errorf(orchestrator.CodeBusy, "chat %s is being closed; nothing was sent", chat).WithHint("boo chat reopen %s", chat)
	}
	_, err = t.ExecContext(ctx, setChatState, chat, orchestrator.ChatOpen, 0)
	return fmt.Sprintf("the chat was %s; it is open again", state.Words()), err
}
