package api_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest/scriptedagent"
	"boo/backends/proc"
	"boo/orchestrator"
	"boo/orchestrator/api"
	"boo/orchestrator/daemon"
	"boo/orchestrator/store"
	"boo/pending"
	"boo/worktree"
)

// TestMain lets the test binary be the supervisor of agents, and an agent.
func TestMain(m *testing.M) {
	proc.Main()
	if len(os.Args) > 1 && os.Args[1] == "scripted-agent" {
		syscall.Exit(scriptedagent.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// check wants no error, or one of those that may be.
func check(t *testing.T, err error, may ...error) {
	t.Helper()
	if err != nil && !slices.ContainsFunc(may, func(m error) bool { return errors.Is(err, m) }) {
		t.Fatal(err)
	}
}

// newRepo makes a repository with one file.
func newRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, v := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+v+"_NAME", "Pat")
		t.Setenv("GIT_"+v+"_EMAIL", "pat@example.invalid")
	}
	check(t, os.WriteFile(filepath.Join(dir, "story.txt"), []byte("one\ntwo\nthree\n"), 0o644))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	return dir
}

// newEngine makes an engine on everything real but the agent "one", which does
// what the prompt says.
func newEngine(t *testing.T, data string) *orchestrator.Engine {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	registry, err := backends.New(backends.Options{
		Launcher: proc.Launcher{}, Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: "test"}},
		Custom: map[orchestrator.AgentName]backends.Custom{
			"one": {Command: []string{self, "scripted-agent", "--store", filepath.Join(data, "agent")}},
		},
		Data: data, Environ: os.Environ(),
	})
	check(t, err)
	trees, err := worktree.New(worktree.Options{Dir: filepath.Join(data, "git")})
	check(t, err)
	locks, err := daemon.NewLocks(filepath.Join(data, "locks"))
	check(t, err)
	db, err := store.Open(t.Context(), filepath.Join(data, "boo.db"), store.Options{})
	check(t, err)
	return orchestrator.NewEngine(orchestrator.Config{
		Store: db, Trees: trees, Agents: registry, Pending: pending.New(trees, db, locks), Locks: locks,
		Processes: proc.Table{}, Worktrees: filepath.Join(data, "worktrees"), Agent: "one",
	})
}

// serve serves svc on a socket of its own until the test ends, and returns how
// it is reached.
func serve(t *testing.T, svc orchestrator.Service, opts api.Options) api.Dial {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	stop := serveAt(t, socket, api.NewHandler(svc, opts))
	t.Cleanup(stop)
	return dialer(socket)
}

func serveAt(t *testing.T, socket string, h http.Handler) (stop func()) {
	t.Helper()
	listener, err := net.Listen("unix", socket)
	check(t, err)
	server := api.NewServer(h)
	done := make(chan struct{})
	go func() { // ends with the server
		defer close(done)
		_ = server.Serve(listener)
	}()
	return func() {
		_ = server.Close()
		<-done
	}
}

func dialer(socket string) api.Dial {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
}
