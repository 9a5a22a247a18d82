package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// BenchmarkIdleDaemon measures what the daemon costs while nothing happens, with
// a hundred chats in its store: how often a thread of it wakes up in a second, and
// how much of it is in memory.
func BenchmarkIdleDaemon(b *testing.B) {
	home := b.TempDir()
	fillStore(b, filepath.Join(home, "data", "boo.db"), 100)
	boo := program(b)
	run := func(args ...string) []byte {
		cmd := exec.CommandContext(b.Context(), boo, args...)
		cmd.Env = append(os.Environ(), "BOO_HOME="+home)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("boo %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	var status daemonView
	run("daemon", "start")
	defer run("daemon", "stop")
	run("chat", "ls", "--all")
	if err := json.Unmarshal(run("daemon", "status", "--json"), &status); err != nil {
		b.Fatal(err)
	}
	<-time.After(3 * time.Second) // what a start leaves is cleared away
	before, began := wakeups(b, status.PID), time.Now()
	for b.Loop() {
		<-time.After(time.Second)
	}
	took := time.Since(began).Seconds()
	woken := wakeups(b, status.PID) - before
	if err := json.Unmarshal(run("daemon", "status", "--json"), &status); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(woken)/took, "wakeups/s")
	b.ReportMetric(float64(status.Memory)/(1<<20), "RSS-MiB")
	b.ReportMetric(0, "ns/op")
}

// wakeups counts how often the threads of a process were given a processor.
func wakeups(b *testing.B, pid int) int {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		b.Fatalf("threads of process %d: %v", pid, err)
	}
	sum := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			if strings.HasSuffix(name, "ctxt_switches") {
				n, err := strconv.Atoi(strings.TrimSpace(value))
				if err != nil {
					b.Fatal(err)
				}
				sum += n
			}
		}
	}
	return sum
}

// fillStore makes a store with so many chats.
func fillStore(b *testing.B, path string, n int) {
	b.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	repo, err := s.PutRepo(ctx, orchestrator.Repo{ID: orchestrator.NewRepoID(), CommonDir: "/r/.git", Root: "/r", CreatedAt: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	for range n {
		id := orchestrator.NewChatID()
		turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: id, Agent: "goose", Prompt: "do it", State: orchestrator.TurnQueued, Sent: time.Now()}
		_, err := s.Enqueue(ctx, turn, &orchestrator.NewChat{
			Chat:     orchestrator.Chat{ID: id, Repo: repo.ID, Title: "do it", State: orchestrator.ChatOpen, CreatedAt: time.Now(), LastUsedAt: time.Now()},
			Worktree: orchestrator.Worktree{Chat: id, Repo: repo.ID, CommonDir: "/r/.git", Dir: orchestrator.WorktreeDir("/w/" + id), Base: orchestrator.ObjectID(strings.Repeat("1", 40)), Baseline: orchestrator.ObjectID(strings.Repeat("1", 40)), State: orchestrator.WorktreeActive, CreatedAt: time.Now()},
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.EndTurn(ctx, orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnFailed}); err != nil {
			b.Fatal(err)
		}
	}
}
