package orchestrator_test

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"boo/orchestrator"
)

// pausing is real trees that compare the files with what was seen of a turn only
// when the gate, where there is one, is open.
type pausing struct {
	orchestrator.Trees
	gate *atomic.Pointer[gate]
}

type gate struct{ reached, open chan struct{} }

func (p pausing) Watch(ctx context.Context, wt orchestrator.Worktree) orchestrator.TreeWatch {
	return pausingWatch{p.Trees.Watch(ctx, wt), p.gate}
}

type pausingWatch struct {
	orchestrator.TreeWatch
	gate *atomic.Pointer[gate]
}

func (w pausingWatch) Confirm(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	if g := w.gate.Load(); g != nil {
		close(g.reached)
		<-g.open
	}
	return w.TreeWatch.Confirm(ctx, by, message)
}

// turnEnded is a chat with a turn that is over for who follows it, and whose files
// are not compared before the gate is open.
func turnEnded(t *testing.T) (*world, *gate) {
	t.Helper()
	w := newWorld(t)
	var at atomic.Pointer[gate]
	w.Trees, w.Watched = pausing{w.Trees, &at}, 1
	w.turn("one", "write a.txt with a")
	g := &gate{make(chan struct{}), make(chan struct{})}
	at.Store(g)
	w.follow(w.send("one", "write b.txt with b").Turn, nil)
	<-g.reached
	at.Store(nil)
	return w, g
}

// What the person writes when the turn is over for them is theirs, also where the
// files have not all been compared by then.
func TestWhatIsWrittenRightAfterATurnIsNotTheAgents(t *testing.T) {
	w, g := turnEnded(t)
	w.check(os.WriteFile(w.tree("mine.txt"), []byte("mine\n"), 0o600))
	w.check(os.WriteFile(w.tree("b.txt"), []byte("mine too\n"), 0o600))
	close(g.open)
	if got, want := w.changes(), []string{"a.txt by one", "b.txt by one"}; !slices.Equal(got, want) {
		t.Errorf("pending: %q, want %q", got, want)
	}
	w.turn("two", "say nothing to do")
	if got, want := w.changes(), []string{"a.txt by one", "b.txt by one,you", "mine.txt by you"}; !slices.Equal(got, want) {
		t.Errorf("after the next turn: %q, want %q", got, want)
	}
	if said := notices(w.log()); said != "" {
		t.Errorf("the chat was told %q", said)
	}
}

// Whoever needs the chat for themselves waits until its files are compared.
func TestWhatComesRightAfterATurnIsNotRefused(t *testing.T) {
	ref := func(w *world) orchestrator.ChatRef { return orchestrator.ChatRef{Dir: w.repo} }
	for name, do := range map[string]func(w *world) error{
		"restart": func(w *world) error { return w.Restart(w.t.Context(), ref(w), "") },
		"archive": func(w *world) error {
			_, err := w.Archive(w.t.Context(), ref(w), true)
			if orchestrator.CodeOf(err) == orchestrator.CodeInvalid { // nothing is archived here
				err = nil
			}
			return err
		},
		"risk": func(w *world) error {
			risks, err := w.Risk(w.t.Context(), ref(w))
			unknown := func(r orchestrator.Risk) bool { return r.Kind == orchestrator.RiskUnknown }
			if err == nil && (len(risks) != 1 || slices.ContainsFunc(risks[0].Risks, unknown)) {
				w.t.Errorf("risks: %+v", risks)
			}
			return err
		},
		"close": func(w *world) error {
			_, err := w.CloseChat(w.t.Context(), ref(w), orchestrator.CloseOptions{KeepWorktree: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := turnEnded(t)
			done := make(chan error)
			go func() { done <- do(w) }()
			close(g.open)
			w.check(<-done)
		})
	}
}

// log is all that the chat last used was told.
func (w *world) log() []orchestrator.Event {
	w.t.Helper()
	events, err := w.Log(w.t.Context(), orchestrator.ChatRef{Dir: w.repo}, 0, 10_000)
	w.check(err)
	return events
}
