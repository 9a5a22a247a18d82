package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/orchestrator/store"
)

// BenchmarkReplayIntoAPipe replays 100,000 stored events as JSON, beside cat of
// the same lines through jq -c, which prints them again. vs-jq is how many times
// as fast the replay is; without jq there is none.
func BenchmarkReplayIntoAPipe(b *testing.B) {
	const events = 100_000
	db, chat := filledStore(b, events)
	var file bytes.Buffer
	var took, jq time.Duration
	for b.Loop() {
		for _, out := range []io.Writer{&file, io.Discard} { // the first is not timed: it makes jq's input
			e, _, _ := testEnv(nil)
			read, write, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = io.Copy(out, read)
			}()
			e.svc, e.JSON, e.Stdout = stored{Service: orchestrator.NewEngine(orchestrator.Config{Store: db}), chat: chat}, true, tty.New(write, tty.Options{})
			began := time.Now()
			if err := runChatReplay(b.Context(), e, replayOptions{Ref: orchestrator.ChatRef{Prefix: string(chat)}, Speed: 1}); err != nil {
				b.Fatal(err)
			}
			_ = write.Close()
			<-done
			if out == io.Discard {
				took += time.Since(began)
			}
		}
		path := filepath.Join(b.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
		if n := bytes.Count(file.Bytes(), []byte("\n")); n != events+1 {
			b.Fatalf("%d lines", n)
		}
		file.Reset()
		began := time.Now()
		if exec.CommandContext(b.Context(), "sh", "-c", `cat "$0" | jq -c . >/dev/null`, path).Run() == nil {
			jq += time.Since(began)
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "replay-ms")
	if jq > 0 {
		b.ReportMetric(float64(jq)/float64(took), "vs-jq")
	}
}

// stored is a service that knows one chat.
type stored struct {
	orchestrator.Service
	chat orchestrator.ChatID
}

func (s stored) Chat(context.Context, orchestrator.ChatRef) (orchestrator.ChatDetail, error) {
	return orchestrator.ChatDetail{ChatSummary: orchestrator.ChatSummary{Chat: orchestrator.Chat{ID: s.chat}}}, nil
}

// filledStore is a store with a chat that has so many events, and its prompt.
func filledStore(b *testing.B, events int) (*store.Store, orchestrator.ChatID) {
	b.Helper()
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "boo.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	repo, err := db.PutRepo(b.Context(), orchestrator.Repo{ID: orchestrator.NewRepoID(), CommonDir: "/r/.git", Root: "/r"})
	if err != nil {
		b.Fatal(err)
	}
	id := orchestrator.NewChatID()
	turn, err := db.Enqueue(b.Context(), orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: id, Agent: "goose", Prompt: "go"}, &orchestrator.NewChat{
		Chat:     orchestrator.Chat{ID: id, Repo: repo.ID, State: orchestrator.ChatOpen},
		Worktree: orchestrator.Worktree{Chat: id, Repo: repo.ID, CommonDir: "/r/.git", Dir: "/t", Base: "1", Baseline: "1", State: orchestrator.WorktreeCreating},
	})
	if err != nil {
		b.Fatal(err)
	}
	for done := 0; done < events; {
		var batch []orchestrator.Event
		for ; len(batch) < 1000 && done < events; done++ {
			ev := orchestrator.Event{Turn: turn.ID, Kind: orchestrator.EventText, Agent: "goose", MessageID: "m1", Text: fmt.Sprintf("piece %d of what the agent says\n", done)}
			if done%5 == 0 {
				ev = orchestrator.Event{Turn: turn.ID, Kind: orchestrator.EventTool, Agent: "goose", Tool: &orchestrator.ToolCall{
					ID: fmt.Sprint(done), Kind: "edit", Status: "completed", Title: "edit main.go", Locations: []string{"/t/main.go"}, Input: []byte(`{"path":"/t/main.go","text":"x"}`),
				}}
			}
			batch = append(batch, ev)
		}
		if _, err := db.AppendEvents(b.Context(), id, batch); err != nil {
			b.Fatal(err)
		}
	}
	return db, id
}
