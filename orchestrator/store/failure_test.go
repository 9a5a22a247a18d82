package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

func TestAFullDiskStoresNothingAndIsGotOver(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	pages, err := f.Pages(f.ctx)
	must(t, err)
	must(t, f.LimitPages(f.ctx, pages+20))
	big := texts(f.turn.ID, 1)
	big[0].Text = strings.Repeat("x", 8<<10)
	var stored int
	for err == nil {
		before := len(f.events(t))
		if _, err = f.AppendEvents(f.ctx, f.chat, append(big, texts(f.turn.ID, 3)...)); err == nil {
			stored++
			continue
		}
		if after := len(f.events(t)); after != before {
			t.Fatalf("a part of a batch was stored: %d events, then %d", before, after)
		}
	}
	wantCode(t, orchestrator.CodeFull, err)
	if stored == 0 || !strings.Contains(err.Error(), "no space is left in ") || orchestrator.HintOf(err) == "" {
		t.Fatalf("%d stored, then %v", stored, err)
	}
	delta := f.delta()
	for range 2000 {
		delta.Insert = append(delta.Insert, f.change(orchestrator.Path("p/"+orchestrator.NewChangeID())))
	}
	end := orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnCompleted, Delta: delta}
	_, err = f.EndTurn(f.ctx, end)
	wantCode(t, orchestrator.CodeFull, err)
	if turn, err := f.Turn(f.ctx, f.turn.ID); err != nil || turn.State != orchestrator.TurnRunning || len(f.changes(t)) > 0 {
		t.Fatalf("a part of the end was stored: %+v, %v", turn, err)
	}

	must(t, f.LimitPages(f.ctx, 1<<30))
	_, err = f.EndTurn(f.ctx, end)
	must(t, err)
	if got := len(f.changes(t)); got != 2000 {
		t.Fatalf("%d changes", got)
	}
	for i, ev := range f.events(t) {
		if int(ev.Seq) != i+1 {
			t.Fatalf("event %d is at %d", ev.Seq, i+1)
		}
	}
}

func TestALockedFileIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f, other := newFixtureIn(t, openAt(t, path)), openAt(t, path)
	must(t, other.Exec(t.Context(), "BEGIN IMMEDIATE"))
	done := make(chan error, 1)
	go func() {
		_, err := f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 1))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("not waited: %v", err)
	case <-time.After(1500 * time.Millisecond): // longer than SQLite itself waits
	}
	if got := len(f.events(t)); got != 1 {
		t.Fatalf("readers see %d events", got) // and do not wait
	}
	must(t, other.Exec(t.Context(), "COMMIT"))
	must(t, <-done)

	must(t, other.Exec(t.Context(), "BEGIN IMMEDIATE"))
	f.SetPatience(time.Millisecond)
	_, err := f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 1))
	wantCode(t, orchestrator.CodeBusy, err)
	must(t, other.Exec(t.Context(), "ROLLBACK"))
}

func TestAContextEndsTheWaitAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f, other := newFixtureIn(t, openAt(t, path)), openAt(t, path)
	must(t, other.Exec(t.Context(), "BEGIN IMMEDIATE"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := f.AppendEvents(ctx, f.chat, texts(f.turn.ID, 1))
	wantCode(t, orchestrator.CodeInterrupted, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	must(t, other.Exec(t.Context(), "ROLLBACK"))
	_, err = f.Turn(ctx, f.turn.ID)
	wantCode(t, orchestrator.CodeInterrupted, err)
	_, err = f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 1))
	must(t, err)
	if got := len(f.events(t)); got != 2 {
		t.Fatalf("%d events", got)
	}
}

func TestADamagedFileIsCalledSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	must(t, os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 500)), 0o600))
	_, err := store.Open(t.Context(), path, store.Options{})
	wantCode(t, orchestrator.CodeInternal, err)
	if !strings.Contains(err.Error(), "damaged") || !strings.Contains(orchestrator.HintOf(err), path) {
		t.Fatalf("%v; hint %q", err, orchestrator.HintOf(err))
	}
}

func TestADirectoryThatCannotBeMadeIsDenied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := store.Open(t.Context(), filepath.Join(file, "state", "boo.db"), store.Options{})
	wantCode(t, orchestrator.CodeDenied, err)
	if !strings.Contains(err.Error(), filepath.Join(file, "state")) || orchestrator.HintOf(err) == "" {
		t.Fatalf("%v; hint %q", err, orchestrator.HintOf(err))
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "boo.db"), store.Options{})
	must(t, err)
	must(t, s.Close())
	_, err = s.PutRepo(t.Context(), orchestrator.Repo{ID: "r", CommonDir: "/x"})
	wantCode(t, orchestrator.CodeInternal, err)
}
