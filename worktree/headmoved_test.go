package worktree_test

import (
	"context"
	"errors"
	"testing"

	"boo/orchestrator"
)

// awaited starts to wait for HEAD of a checkout to be elsewhere than it is.
func (f *fixture) awaited(dir string) (moved chan error, end context.CancelFunc) {
	ctx, cancel := context.WithCancel(f.t.Context())
	from := f.checkout(dir).Head
	moved = make(chan error, 1)
	go func() { moved <- f.engine.HeadMoved(ctx, dir, from) }()
	return moved, cancel
}

func TestAMoveOfHeadIsSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.commit()
	f.git(f.repo, "commit", "-q", "--allow-empty", "-m", "second")
	f.git(f.repo, "branch", "deep/down/below", string(first))
	linked := f.root + "/linked"
	f.git(f.repo, "worktree", "add", "-q", "--detach", linked)
	for _, c := range []struct {
		dir  string
		move []string
	}{
		{f.repo, []string{"commit", "-q", "--allow-empty", "-m", "another"}},
		{f.repo, []string{"checkout", "-q", "deep/down/below"}},
		{f.repo, []string{"commit", "-q", "--allow-empty", "-m", "there"}},
		{f.repo, []string{"checkout", "-q", "--detach", "main"}},
		{f.repo, []string{"reset", "-q", "--hard", string(first)}},
		{f.repo, []string{"switch", "-q", "main"}},
		{linked, []string{"commit", "-q", "--allow-empty", "-m", "linked"}},
	} {
		moved, end := f.awaited(c.dir)
		f.git(f.repo, "pack-refs", "--all", "--prune") // which moves nothing
		f.git(f.repo, "branch", "-f", "other", "main")
		select {
		case err := <-moved:
			t.Fatalf("before %v: %v", c.move, err)
		default:
		}
		f.git(c.dir, c.move...)
		if err := <-moved; err != nil {
			t.Errorf("%v: %v", c.move, err)
		}
		end()
	}
}

func TestNobodyWaitsForHeadLongerThanAsked(t *testing.T) {
	f := newFixture(t)
	f.commit()
	moved, end := f.awaited(f.repo)
	end()
	if err := <-moved; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := f.engine.HeadMoved(t.Context(), f.root, ""); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("outside of a repository: %v", err)
	}
}
