package store

import (
	"context"

	"boo/orchestrator"
)

// Enqueue stores a prompt: the turn in state queued, its prompt event and, if
// newChat is not nil, the chat with its worktree row, all in one transaction,
// and more turns of the chat after it likewise. It gives the turn its number, and
// the others those that follow; it opens a chat that was closed. CodeNotFound if
// there is no such chat, CodeBusy while it is being closed,
// CodeConflict if the new chat's worktree directory is in use, its spare not to
// be had any more, or the turn's key is that of another one.
func (s *Store) Enqueue(ctx context.Context, turn orchestrator.Turn, newChat *orchestrator.NewChat, more ...orchestrator.Turn) (stored orchestrator.Turn, err error) {
	err = s.write(ctx, synced, "store the prompt", func(t *tx) error {
		if stored, err = enqueue(ctx, t, turn, newChat); err != nil {
			return err
		}
		for _, next := range more {
			next.Chat = turn.Chat
			if _, err := enqueue(ctx, t, next, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return stored, err
}

func enqueue(ctx context.Context, t *tx, turn orchestrator.Turn, newChat *orchestrator.NewChat) (orchestrator.Turn, error) {
	var notices []string
	if newChat != nil {
		if err := keyIsNew(ctx, t, newChat.Chat.Repo, turn.Key); err != nil {
			return turn, err
		}
		notices = newChat.Notices
		if err := makeChat(ctx, t, *newChat); err != nil {
			return turn, err
		}
	} else if notice, err := reopen(ctx, t, turn.Chat); err != nil {
		return turn, err
	} else if notice != "" {
		notices = append(notices, notice)
	}
	turn.State = orchestrator.TurnQueued
	if turn.Sent.IsZero() {
		turn.Sent = t.now
	}
	if err := putTurn(ctx, t, turn); err != nil {
		return turn, err
	}
	if err := joinChat(ctx, t, turn.Chat, turn.Agent); err != nil {
		return turn, err
	}
	if err := useChat(ctx, t, turn.Chat); err != nil {
		return turn, err
	}
	if err := entitle(ctx, t, turn); err != nil {
		return turn, err
	}
	events := []orchestrator.Event{{Turn: turn.ID, Kind: orchestrator.EventPrompt, Agent: turn.Agent, Text: turn.Prompt}}
	events = append(events, noticesOf(turn.ID, notices)...)
	if _, err := appendEvents(ctx, t, turn.Chat, events); err != nil {
		return turn, err
	}
	return turnByID(ctx, t, turn.ID)
}

// CreateChat stores a chat without a prompt, with its worktree row, in one
// transaction. CodeConflict if its name is taken, if its worktree directory is in
// use, or if its spare is not to be had any more.
func (s *Store) CreateChat(ctx context.Context, c orchestrator.NewChat) error {
	return s.write(ctx, synced, "store the chat", func(t *tx) error {
		if err := makeChat(ctx, t, c); err != nil {
			return err
		}
		notices := noticesOf("", c.Notices)
		if len(notices) == 0 {
			return nil
		}
		_, err := appendEvents(ctx, t, c.Chat.ID, notices)
		return err
	})
}

func makeChat(ctx context.Context, t *tx, c orchestrator.NewChat) error {
	if c.Spare {
		if err := takeSpare(ctx, t, c.Chat.ID); err != nil {
			return err
		}
	}
	if err := putChat(ctx, t, c.Chat); err != nil {
		return err
	}
	return putWorktree(ctx, t, c.Worktree)
}

func noticesOf(turn orchestrator.TurnID, notices []string) []orchestrator.Event {
	var events []orchestrator.Event
	for _, notice := range notices {
		events = append(events, orchestrator.Event{Turn: turn, Kind: orchestrator.EventNotice, Text: notice})
	}
	return events
}

const insertTurn = `
INSERT INTO turns (id, chat_id, number, agent, model, state, before_commit, after_commit, rung,
    input, output, cache_read, cache_write, cost, currency, context_used, context_size,
    owner_boot, owner_pid, owner_start, sent_ms, started_ms, ended_ms, stop, reason, prompt, mode, send_key, retry_of)
VALUES (:id, :chat_id, (SELECT coalesce(max(number), 0) + 1 FROM turns WHERE chat_id = :chat_id),
    :agent, :model, :state, :before_commit, :after_commit, :rung,
    :input, :output, :cache_read, :cache_write, :cost, :currency, :context_used, :context_size,
    :owner_boot, :owner_pid, :owner_start, :sent_ms, :started_ms, :ended_ms, :stop, :reason, :prompt, :mode, :send_key, :retry_of)`

func putTurn(ctx context.Context, t *tx, turn orchestrator.Turn) error {
	_, err := t.NamedExecContext(ctx, insertTurn, rowOfTurn(turn))
	switch {
	case isDangling(err):
		return orchestrator.Errorf(orchestrator.CodeNotFound, "no chat %s", turn.Chat)
	case isTaken(err):
		return orchestrator.Errorf(orchestrator.CodeConflict, "turn %s, or one of its key, is stored already", turn.ID)
	}
	return err
}
