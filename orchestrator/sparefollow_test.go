package orchestrator

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
)

// stillHeads are trees whose HEAD never moves.
type stillHeads struct {
	Trees
	waiting atomic.Int64
	ended   chan string
}

func (s *stillHeads) HeadMoved(ctx context.Context, dir string, _ ObjectID) error {
	s.waiting.Add(1)
	<-ctx.Done()
	s.waiting.Add(-1)
	s.ended <- dir
	return ctx.Err()
}

// TestNoMoreThanSomeCheckoutsAreFollowed: those that were followed longest give
// way, once each.
func TestNoMoreThanSomeCheckoutsAreFollowed(t *testing.T) {
	const more = 5
	heads := &stillHeads{ended: make(chan string, 2*maxFollowed)}
	life, end := context.WithCancel(t.Context())
	e := &Engine{Config: Config{Trees: heads}, life: life}
	e.FollowHeads(0)
	for i := range maxFollowed + more {
		e.follow(RepoID(fmt.Sprintf("r%d", i)), Checkout{Dir: CheckoutDir(fmt.Sprint(i))})
	}
	left := map[string]bool{}
	for range more {
		left[<-heads.ended] = true
	}
	for i := range more {
		if !left[fmt.Sprint(i)] {
			t.Errorf("checkout %d is followed still, and not %v", i, left)
		}
	}
	end()
	e.turns.Wait()
	if n := heads.waiting.Load(); n != 0 {
		t.Errorf("%d wait still", n)
	}
}
