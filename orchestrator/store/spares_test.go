package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

func newSpare(t testing.TB, s *store.Store, repo orchestrator.Repo) orchestrator.Spare {
	t.Helper()
	spare := orchestrator.Spare{Chat: orchestrator.NewChatID(), Repo: repo.ID, Base: base, Sparse: []string{"a"}, State: orchestrator.SpareMaking}
	must(t, s.PutSpare(t.Context(), spare))
	return spare
}

// fromSpare is the chat that a spare is for.
func fromSpare(spare orchestrator.Spare, repo orchestrator.Repo) *orchestrator.NewChat {
	return &orchestrator.NewChat{
		Chat: orchestrator.Chat{ID: spare.Chat, Repo: repo.ID, State: orchestrator.ChatOpen},
		Worktree: orchestrator.Worktree{
			Chat: spare.Chat, Repo: repo.ID, CommonDir: repo.CommonDir, Dir: orchestrator.WorktreeDir("/worktrees/" + spare.Chat),
			Base: base, Baseline: base, State: orchestrator.WorktreeCreating,
		},
		Spare: true,
	}
}

func TestASpareIsTakenWithItsChatAndOnlyWhenItIsReady(t *testing.T) {
	f := newFixture(t)
	spare := newSpare(t, f.Store, f.repo)
	wantCode(t, orchestrator.CodeNotFound, f.PutSpare(f.ctx, orchestrator.Spare{Chat: orchestrator.NewChatID(), Repo: "rnowhere00", Base: base}))

	_, err := f.Enqueue(f.ctx, newTurn(spare.Chat, "goose"), fromSpare(spare, f.repo))
	wantCode(t, orchestrator.CodeConflict, err)
	_, err = f.Chat(f.ctx, spare.Chat)
	wantCode(t, orchestrator.CodeNotFound, err)

	must(t, f.MoveSpare(f.ctx, spare.Chat, orchestrator.SpareReady, "b2"))
	wantCode(t, orchestrator.CodeConflict, f.MoveSpare(f.ctx, spare.Chat, orchestrator.SpareReady, "b2"))
	wantCode(t, orchestrator.CodeConflict, f.DropSpare(f.ctx, spare.Chat))
	list, err := f.Spares(f.ctx)
	must(t, err)
	spare.State, spare.Base, spare.CreatedAt = orchestrator.SpareReady, "b2", list[0].CreatedAt
	equal(t, "spares", list, []orchestrator.Spare{spare})

	_, err = f.Enqueue(f.ctx, newTurn(spare.Chat, "goose"), fromSpare(spare, f.repo))
	must(t, err)
	list, err = f.Spares(f.ctx)
	must(t, err)
	equal(t, "spares", len(list), 0)
	wantCode(t, orchestrator.CodeConflict, f.MoveSpare(f.ctx, spare.Chat, orchestrator.SpareMaking, base))
}

func TestManyWhoWantASpareGetItOnce(t *testing.T) {
	f := newFixture(t)
	spare := newSpare(t, f.Store, f.repo)
	must(t, f.MoveSpare(f.ctx, spare.Chat, orchestrator.SpareReady, base))
	var took atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := f.Enqueue(f.ctx, newTurn(spare.Chat, "goose"), fromSpare(spare, f.repo)); err == nil {
				took.Add(1)
			} else if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
				t.Error(err)
			}
		})
	}
	all.Go(func() { // and one who clears it away
		if f.MoveSpare(f.ctx, spare.Chat, orchestrator.SpareMaking, base) == nil {
			took.Add(1)
		}
	})
	all.Wait()
	if took.Load() != 1 {
		t.Fatalf("%d have it", took.Load())
	}
}
