package orchestrator_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// mistaken is real trees whose watches see what they are told to.
type mistaken struct {
	orchestrator.Trees
	seen orchestrator.ObjectID
	died chan struct{} // unless nil, boo dies before it compares: closed then
}

func (m mistaken) Watch(_ context.Context, wt orchestrator.Worktree) orchestrator.TreeWatch {
	return mistakenWatch{m, wt}
}

type mistakenWatch struct {
	mistaken
	wt orchestrator.Worktree
}

func (w mistakenWatch) Snapshot(context.Context, orchestrator.Signature, string) (orchestrator.Snapshot, error) {
	return orchestrator.Snapshot{Commit: w.seen}, nil
}

func (w mistakenWatch) Confirm(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	if w.died != nil {
		close(w.died)
		return orchestrator.Snapshot{}, errors.New("boo is dead")
	}
	return w.Trees.Snapshot(ctx, w.wt, by, message)
}

func (w mistakenWatch) SnapshotChanges(context.Context, orchestrator.Signature, string) (orchestrator.Snapshot, error) {
	return orchestrator.Snapshot{}, errors.New("it cannot tell")
}

func (w mistakenWatch) Keep(context.Context) error { return nil }
func (w mistakenWatch) Rest(context.Context) int   { return 0 }
func (w mistakenWatch) Close() error               { return nil }

// misled has watchers see a file that is not there, and another one with content
// that it does not have.
func (w *world) misled(died chan struct{}) {
	w.t.Helper()
	w.write("ghost.txt", "boo\n")
	w.write("story.txt", "as the watcher saw it\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "seen")
	seen := orchestrator.ObjectID(strings.TrimSpace(w.git("rev-parse", "HEAD")))
	w.git("reset", "-q", "--hard", "HEAD~1")
	w.Trees = mistaken{w.Trees, seen, died}
}

const trueWork = "write story.txt with truth;;write missed.txt with truth"

// truth checks that what is pending is what trueWork did.
func (w *world) truth() {
	w.t.Helper()
	if got, want := w.changes(), []string{"missed.txt by one", "story.txt by one"}; !slices.Equal(got, want) {
		w.t.Errorf("pending: %q, want %q", got, want)
	}
	rows, err := w.Changes(w.t.Context(), orchestrator.ChangeSelector{Dir: w.repo})
	w.check(err)
	for _, r := range rows {
		if want := strings.TrimSpace(w.git("hash-object", w.tree(r.Path.String()))); string(r.New.ID) != want {
			w.t.Errorf("%s is pending as %s, the file is %s", r.Path, r.New.ID, want)
		}
	}
}

// notices joins what boo had to say in the chat.
func notices(events []orchestrator.Event) string {
	var said []string
	for _, ev := range events {
		if ev.Kind == orchestrator.EventNotice {
			said = append(said, ev.Text)
		}
	}
	return strings.Join(said, "\n")
}

func TestWhatAWatcherSawWronglyIsCorrected(t *testing.T) {
	w := newWorld(t)
	w.misled(nil)
	sent := w.send("one", trueWork)
	w.follow(sent.Turn, nil)
	w.truth()
	if said := notices(w.log()); !strings.Contains(said, "found 2 changed by this turn; what is pending is right now") {
		t.Errorf("the chat was told %q", said)
	}
	turn, err := w.full.Turn(t.Context(), sent.Turn)
	w.check(err)
	if turn.State != orchestrator.TurnCompleted || turn.Provisional || !turn.Corrected || turn.After == "" {
		t.Errorf("the turn: %+v", turn)
	}
	w.check(w.Close())
	w.Engine = w.open() // whose watchers see right
	if h := w.turn("one", "say nothing to do"); notices(h.events) != "" || len(h.summary().Files) > 0 {
		t.Errorf("the next turn was told %q, and did %+v", notices(h.events), h.summary().Files)
	}
	w.truth()
}

// lostBetween is a world whose boo died after a turn was over for those who
// followed it, and before the files were compared; another boo is there now.
func lostBetween(t *testing.T) (*world, orchestrator.Turn) {
	t.Helper()
	w := newWorld(t)
	died := make(chan struct{})
	w.misled(died)
	sent := w.send("one", trueWork)
	<-died
	w.check(w.Close())
	w.Engine = w.open()
	turn, err := w.full.Turn(t.Context(), sent.Turn)
	w.check(err)
	if turn.State != orchestrator.TurnCompleted || !turn.Provisional || turn.After == "" {
		t.Fatalf("the turn: %+v", turn)
	}
	return w, turn
}

// Whoever comes first compares the files: what looks at them, or the next turn,
// which must not take the agent's work for the person's.
func TestWhatADeadBooDidNotCompareIsComparedFirst(t *testing.T) {
	for name, first := range map[string]func(*world, orchestrator.Turn){
		"by who looks":       func(w *world, _ orchestrator.Turn) { w.changes() },
		"by who follows":     func(w *world, turn orchestrator.Turn) { w.follow(turn.ID, nil) },
		"by the next turn":   func(w *world, _ orchestrator.Turn) { w.turn("two", "say nothing to do") },
		"after Recover, too": func(w *world, _ orchestrator.Turn) { _, err := w.Recover(w.t.Context()); w.check(err) },
		"by two who look at it": func(w *world, _ orchestrator.Turn) {
			done := make(chan struct{})
			go func() { defer close(done); w.changes() }()
			w.changes()
			<-done
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, turn := lostBetween(t)
			first(w, turn)
			w.truth()
			if said := notices(w.log()); strings.Count(said, "was not complete") != 1 || !strings.Contains(said, "that look came late") || !strings.Contains(said, "counts as one's") {
				t.Errorf("the chat was told %q", said)
			}
			if turn, err := w.full.Turn(t.Context(), turn.ID); err != nil || turn.Provisional || !turn.Corrected {
				t.Errorf("the turn: %+v, %v", turn, err)
			}
		})
	}
}

func TestWhatCannotBeComparedAnyMoreIsSaid(t *testing.T) {
	w, turn := lostBetween(t)
	w.check(os.RemoveAll(filepath.Dir(w.tree("story.txt"))))
	if got, want := w.changes(), []string{"ghost.txt by one", "story.txt by one"}; !slices.Equal(got, want) {
		t.Errorf("pending: %q, want what was seen: %q", got, want)
	}
	if said := notices(w.follow(turn.ID, nil).events); !strings.Contains(said, "the worktree is gone") {
		t.Errorf("the follower was told %q", said)
	}
}
