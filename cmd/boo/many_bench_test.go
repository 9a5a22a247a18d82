package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"boo/orchestrator"
)

// BenchmarkTwentyChats measures how long twenty chats that are begun at once
// take to their ends, as twenty commands in a repository, beside the same prompt
// to twenty of the same real agents over the protocol: with a model that answers
// at once, and with one that takes its time as models do.
func BenchmarkTwentyChats(b *testing.B) {
	for name, prompt := range map[string]string{
		"instant": "write told.txt with x;;say done",
		"model":   "stream 400 words every 50ms;;write told.txt with x;;say done",
	} {
		b.Run(name, func(b *testing.B) { benchmarkTwentyChats(b, prompt) })
	}
}

func benchmarkTwentyChats(b *testing.B, prompt string) {
	w := newBench(b, "goose", func(b *testing.B, dir string) {
		if err := os.WriteFile(filepath.Join(dir, "story.txt"), []byte("once\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	})
	registry := straight(b, "goose", w.environ)
	bare := func() error {
		ctx := b.Context()
		s, err := registry.Start(ctx, orchestrator.SessionRequest{Agent: "goose", Dir: orchestrator.WorktreeDir(b.TempDir())})
		if err != nil {
			return err
		}
		_, err = s.Prompt(ctx, []string{prompt}, func() error { return nil }, func(orchestrator.Event) {})
		return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	w.run(w.boo, "chat", "send", "--new", "say hello") // what is installed is checked once
	var chats, agents []time.Duration
	for b.Loop() {
		w.run(w.boo, "daemon", "stop") // nothing is warm
		w.run(w.boo, "daemon", "start")
		chats = append(chats, w.twenty(func() error { return w.try(w.boo, "chat", "send", "--new", prompt) }))
		w.run(w.boo, "daemon", "stop")
		agents = append(agents, w.twenty(bare))
		w.run(w.boo, "daemon", "start")
	}
	w.run(w.boo, "daemon", "stop")
	b.ReportMetric(median(chats).Seconds(), "chats-s")
	b.ReportMetric(median(agents).Seconds(), "agents-s")
	b.ReportMetric(float64(median(chats))/float64(median(agents)), "chats/agents")
	b.ReportMetric(0, "ns/op")
}

// twenty does something twenty times at once.
func (w *bench) twenty(do func() error) time.Duration {
	w.Helper()
	began := time.Now()
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() { errs[i] = do() })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		w.Fatal(err)
	}
	return time.Since(began)
}
