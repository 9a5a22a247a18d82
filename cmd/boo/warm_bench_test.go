package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
	"boo/backends/proc"
	"boo/orchestrator"
)

// BenchmarkWarmTurn measures a turn of a real agent with a model that answers at
// once, in a repository of 10,000 files: "boo chat send" as a person types it,
// warm and after a restart of the agent, beside the same prompt over the protocol
// to the same agent with a git status before and after it: one that is warm, and
// one that is started for the prompt.
func BenchmarkWarmTurn(b *testing.B) {
	for _, agent := range []orchestrator.AgentName{"goose", "qwen"} {
		b.Run(string(agent), func(b *testing.B) { benchmarkWarmTurn(b, agent) })
	}
}

// bench is a person's repository, and boo as they have it, with an agent that
// speaks with a model that answers at once.
type bench struct {
	*testing.B
	boo     string
	repo    string
	environ []string
}

func newBench(b *testing.B, agent orchestrator.AgentName, fill func(*testing.B, string)) *bench {
	b.Helper()
	model, err := scriptedmodel.Start(scriptedmodel.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = model.Close() })
	home := b.TempDir()
	w := &bench{B: b, boo: program(b), repo: b.TempDir()}
	w.environ = append(backendtest.Environ(b, agent, model.URL(), b.TempDir()), "BOO_HOME="+home,
		"GIT_AUTHOR_NAME=Pat", "GIT_AUTHOR_EMAIL=pat@example.invalid", "GIT_COMMITTER_NAME=Pat", "GIT_COMMITTER_EMAIL=pat@example.invalid")
	fill(b, w.repo)
	w.run("git", "init", "-q")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "base")
	if err := os.MkdirAll(filepath.Join(home, "data"), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(backendtest.Data(b, agent), "agents"), filepath.Join(home, "data", "agents")); err != nil {
		b.Fatal(err)
	}
	return w
}

// run runs a program in the repository and returns how long it took.
func (w *bench) run(program string, args ...string) time.Duration {
	w.Helper()
	began := time.Now()
	if err := w.try(program, args...); err != nil {
		w.Fatal(err)
	}
	return time.Since(began)
}

func (w *bench) try(program string, args ...string) error {
	cmd := exec.CommandContext(w.Context(), program, args...)
	cmd.Dir, cmd.Env = w.repo, w.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

func benchmarkWarmTurn(b *testing.B, agent orchestrator.AgentName) {
	w := newBench(b, agent, tenThousandFiles)
	run, boo, environ, repo := w.run, w.boo, w.environ, w.repo
	send := func() time.Duration { return run(boo, "chat", "send", "--agent", string(agent), "say hello") }
	defer run(boo, "daemon", "stop")
	session := direct(b, agent, environ, repo)
	defer session.Close(context.Background())
	ask := func(open func() orchestrator.AgentSession) time.Duration {
		began := time.Now()
		run("git", "status")
		if _, err := open().Prompt(b.Context(), []string{"say hello"}, func() error { return nil }, func(orchestrator.Event) {}); err != nil {
			b.Fatal(err)
		}
		run("git", "status")
		return time.Since(began)
	}
	held := func() orchestrator.AgentSession { return session }
	starts := func() time.Duration {
		var own orchestrator.AgentSession
		took := ask(func() orchestrator.AgentSession {
			own = direct(b, agent, environ, repo)
			return own
		})
		if err := own.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		return took
	}
	send()
	send()
	ask(held)
	var warm, straight, started, cold []time.Duration
	for b.Loop() {
		warm, straight = append(warm, send()), append(straight, ask(held))
		if len(cold) < 3 {
			started = append(started, starts())
			run(boo, "chat", "restart")
			cold = append(cold, send())
		}
	}
	b.ReportMetric(float64(median(warm).Microseconds())/1000, "warm-ms")
	b.ReportMetric(float64(median(straight).Microseconds())/1000, "direct+2status-ms")
	b.ReportMetric(float64(median(warm))/float64(median(straight)), "warm/direct")
	b.ReportMetric(float64(median(started).Microseconds())/1000, "started+2status-ms")
	b.ReportMetric(float64(median(warm))/float64(median(started)), "warm/started")
	b.ReportMetric(float64(median(cold))/float64(median(warm)), "cold/warm")
	b.ReportMetric(0, "ns/op")
}

func tenThousandFiles(b *testing.B, dir string) {
	b.Helper()
	for i := range 10_000 {
		path := filepath.Join(dir, fmt.Sprint("d", i/100), fmt.Sprint("f", i%100, ".txt"))
		if i%100 == 0 {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "line %d\n", i), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// direct opens a session with the agent without boo's chats.
func direct(b *testing.B, agent orchestrator.AgentName, environ []string, dir string) orchestrator.AgentSession {
	b.Helper()
	registry := straight(b, agent, environ)
	session, err := registry.Start(b.Context(), orchestrator.SessionRequest{Agent: agent, Dir: orchestrator.WorktreeDir(dir)})
	if err != nil {
		b.Fatal(err)
	}
	return session
}

// straight starts agents without boo's chats.
func straight(b *testing.B, agent orchestrator.AgentName, environ []string) *backends.Registry {
	b.Helper()
	registry, err := backends.New(backends.Options{
		Launcher: proc.Launcher{}, Protocols: map[string]backends.Protocol{"acp": acp.Protocol{}},
		Data: backendtest.Data(b, agent), Environ: environ,
	})
	if err != nil {
		b.Fatal(err)
	}
	return registry
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
