package orchestrator

import (
	"context"
	"time"
)

// TreeSize is what a worktree took when it was measured.
type TreeSize struct {
	TreeUsage
	Measured time.Time `json:"measured,omitzero"` // when that began; zero if it never was
}

// SizeStore keeps what worktrees were measured to take.
type SizeStore interface {
	// PutSize stores a size, without waiting for the disk. CodeNotFound if there
	// is no such chat.
	PutSize(ctx context.Context, chat ChatID, size TreeSize) error
	// Sizes lists the sizes of all worktrees that were measured.
	Sizes(ctx context.Context) (map[ChatID]TreeSize, error)
}

const (
	// listPatience bounds what is measured while somebody waits for a list.
	listPatience = time.Second
	// After a chat was weighed it is not again for this time, nor for this many
	// times the time that it took.
	weighRest  = 5 * time.Second
	weighShare = 20
)

// measure brings what a list says of a worktree up to date, if there is time.
func (e *Engine) measure(ctx context.Context, wt Worktree, info *WorktreeInfo) {
	size := TreeSize{Measured: e.Now()}
	var err error
	if size.TreeUsage, err = e.Trees.Usage(ctx, wt); err != nil {
		return // what cannot be measured must not keep the others from being shown
	}
	info.TreeSize, info.Stale = size, false
	_ = e.Store.PutSize(ctx, wt.Chat, size) // else it is measured again
}

// WeighAll measures, in the background, the worktrees that were used since they
// were measured.
func (e *Engine) WeighAll(ctx context.Context) error {
	chats, err := e.Store.Chats(ctx, ChatQuery{})
	if err != nil {
		return err
	}
	sizes, err := e.Store.Sizes(ctx)
	for _, c := range chats {
		if c.Worktree.State == WorktreeActive && sizes[c.ID].Measured.Before(c.LastUsedAt) {
			e.weigh(c.ID)
		}
	}
	return err
}

// weigh measures a chat's worktree in the background, one at a time, and so that
// it stays a small part of what the machine does. The engine cuts it off, and
// waits for it, when it closes; a list then says that the size is stale.
func (e *Engine) weigh(chat ChatID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, is := e.weighing[chat]; is || e.closed {
		if is {
			e.weighing[chat] = true
		}
		return
	}
	e.weighing[chat] = false
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		for again := true; again; {
			e.weighOnce(chat)
			e.mu.Lock()
			if again = e.weighing[chat] && !e.closed; again {
				e.weighing[chat] = false
			} else {
				delete(e.weighing, chat)
			}
			e.mu.Unlock()
		}
	}()
}

// weighOnce returns when the chat may be weighed again.
func (e *Engine) weighOnce(chat ChatID) {
	select {
	case e.scale <- struct{}{}:
	case <-e.life.Done():
		return
	}
	begin := time.Now()
	if wt, err := e.Store.Worktree(e.life, chat); err == nil {
		size := TreeSize{Measured: e.Now()}
		if size.TreeUsage, err = e.Trees.Weigh(e.life, wt); err == nil {
			_ = e.Store.PutSize(e.life, chat, size) // else the next one does
		}
	}
	<-e.scale
	rest := time.NewTimer(max(weighRest, weighShare*time.Since(begin)))
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-e.life.Done():
	}
}
