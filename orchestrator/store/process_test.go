package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// As a child, the test program does one of the jobs below with the arguments
// it is given, and says on its output what was acknowledged.
const childJob = "BOO_TEST_STORE_CHILD"

var jobs = map[string]func(ctx context.Context, s *store.Store, chat orchestrator.ChatID) error{
	"open":   func(context.Context, *store.Store, orchestrator.ChatID) error { return nil },
	"append": appendSome,
	"write":  writeForever,
}

func TestMain(m *testing.M) {
	job, ok := jobs[os.Getenv(childJob)]
	if !ok {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	s, err := store.Open(ctx, os.Args[1], store.Options{})
	if err == nil {
		err = job(ctx, s, orchestrator.ChatID(os.Args[2]))
	}
	if err != nil {
		fmt.Println(orchestrator.CodeOf(err), err)
		os.Exit(1)
	}
	fmt.Println("done", s.Close())
}

const (
	someBatches = 40
	batchSize   = 5
)

// appendSome stores batches of events and prompts as fast as it can.
func appendSome(ctx context.Context, s *store.Store, chat orchestrator.ChatID) error {
	for range someBatches {
		if _, err := s.AppendEvents(ctx, chat, texts("", batchSize)); err != nil {
			return err
		}
		if _, err := s.Enqueue(ctx, newTurn(chat, "goose"), nil); err != nil {
			return err
		}
	}
	return nil
}

// writeForever says the number of each turn whose prompt and end are stored.
func writeForever(ctx context.Context, s *store.Store, chat orchestrator.ChatID) error {
	for {
		turn, err := s.Enqueue(ctx, newTurn(chat, "goose"), nil)
		if err != nil {
			return err
		}
		if _, err := s.AppendEvents(ctx, chat, texts(turn.ID, batchSize)); err != nil {
			return err
		}
		if _, err := s.EndTurn(ctx, orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnCancelled}); err != nil {
			return err
		}
		fmt.Println(turn.Number)
	}
}

func child(t testing.TB, job, path string, chat orchestrator.ChatID) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", path, string(chat))
	cmd.Env = append(os.Environ(), childJob+"="+job)
	return cmd
}

func TestProcessesShareTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f := newFixtureIn(t, openAt(t, path))
	const processes = 8
	var running [processes]*exec.Cmd
	var said [processes]strings.Builder
	for i := range running {
		running[i] = child(t, "append", path, f.chat)
		running[i].Stdout = &said[i]
		must(t, running[i].Start())
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, said[i].String())
		}
	}
	turns, err := f.Turns(f.ctx, f.chat)
	must(t, err)
	for i, turn := range turns {
		if turn.Number != int64(i+1) {
			t.Fatalf("turn %d is at %d", turn.Number, i+1)
		}
	}
	events := f.events(t)
	if len(turns) != 1+processes*someBatches || len(events) != 1+processes*someBatches*(batchSize+1) {
		t.Fatalf("%d turns, %d events", len(turns), len(events))
	}
	checkEvents(t, events)
}

// checkEvents checks that numbers have no gap and that batches are whole and
// stand together.
func checkEvents(t testing.TB, events []orchestrator.Event) {
	t.Helper()
	piece := 0
	for i, ev := range events {
		if int(ev.Seq) != i+1 {
			t.Fatalf("event %d is at %d", ev.Seq, i+1)
		}
		if ev.Kind == orchestrator.EventText {
			if ev.Text != fmt.Sprintf("piece %d", piece) {
				t.Fatalf("event %d is %q, want piece %d", ev.Seq, ev.Text, piece)
			}
			piece = (piece + 1) % batchSize
		} else if piece != 0 {
			t.Fatalf("a batch ends with piece %d before event %d", piece-1, ev.Seq)
		}
	}
	if piece != 0 {
		t.Fatal("the last batch is not whole")
	}
}

func TestWhatWasAcknowledgedOutlivesAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f := newFixtureIn(t, openAt(t, path))
	for round := range 5 {
		for _, number := range killedAfter(t, child(t, "write", path, f.chat), 5+3*round) {
			turns, err := f.Turns(f.ctx, f.chat)
			must(t, err)
			if len(turns) < number || turns[number-1].State != orchestrator.TurnCancelled {
				t.Fatalf("turn %d of %d turns was acknowledged as over", number, len(turns))
			}
		}
		checkEvents(t, f.events(t))
	}
}

// killedAfter kills a writer after n acknowledgements, and returns all that it
// gave until it was dead.
func killedAfter(t testing.TB, writer *exec.Cmd, n int) (acknowledged []int) {
	t.Helper()
	stdout, err := writer.StdoutPipe()
	must(t, err)
	must(t, writer.Start())
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		number, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the writer said %q", lines.Text())
		}
		if acknowledged = append(acknowledged, number); len(acknowledged) == n {
			must(t, writer.Process.Kill())
		}
	}
	_ = writer.Wait()
	if len(acknowledged) < n {
		t.Fatalf("the writer ended after %d turns", len(acknowledged))
	}
	return acknowledged
}

func TestADirectoryOfSomebodyElseIsDenied(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	opener := child(t, "open", filepath.Join(dir, "state", "boo.db"), "")
	if os.Getuid() == 0 { // whom no permission stops
		must(t, os.Chmod(filepath.Dir(dir), 0o755))
		must(t, os.Chmod(dir, 0o555))
		opener.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	said, err := opener.Output()
	if err == nil || !strings.HasPrefix(string(said), string(orchestrator.CodeDenied)+" ") || !strings.Contains(string(said), dir) {
		t.Fatalf("%v: %s", err, said)
	}
}

func TestAFileThatMayOnlyBeReadIsDenied(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "boo.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	must(t, s.Close())
	writer := child(t, "append", path, "c-any")
	if os.Getuid() == 0 {
		must(t, os.Chmod(filepath.Dir(dir), 0o755))
		must(t, os.Chown(path, 65534, 65534))
		writer.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	must(t, os.Chmod(path, 0o400))
	must(t, os.Chmod(dir, 0o555))
	said, err := writer.Output()
	if err == nil || !strings.HasPrefix(string(said), string(orchestrator.CodeDenied)+" ") {
		t.Fatalf("%v: %s", err, said)
	}
	must(t, os.Chmod(dir, 0o700))
}
