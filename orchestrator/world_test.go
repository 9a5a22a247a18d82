package orchestrator_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest/scriptedagent"
	"boo/backends/opencode"
	"boo/backends/proc"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/orchestrator/store"
	"boo/pending"
	"boo/reaper"
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

// world is a person's repository and an engine on everything real but the
// agents, "one" and "two", which do what the prompt says.
type world struct {
	*orchestrator.Engine
	t    *testing.T
	data string
	repo string
	full *fullDisk
	pool *backends.Pool // of the engine that was opened last
}

// fullDisk is the real store on a disk that can be full for the end of a turn.
type fullDisk struct {
	*store.Store
	is atomic.Bool
}

func (d *fullDisk) EndTurn(ctx context.Context, end orchestrator.TurnEnd) ([]orchestrator.Event, error) {
	if d.is.Load() {
		return nil, orchestrator.Errorf(orchestrator.CodeFull, "no space is left").WithHint("df -h")
	}
	return d.Store.EndTurn(ctx, end)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, data: t.TempDir(), repo: t.TempDir()}
	t.Setenv("GIT_AUTHOR_NAME", "Pat")
	t.Setenv("GIT_AUTHOR_EMAIL", "pat@example.invalid")
	t.Setenv("GIT_COMMITTER_NAME", "Pat")
	t.Setenv("GIT_COMMITTER_EMAIL", "pat@example.invalid")
	w.git("init", "-q", "-b", "main")
	w.write("story.txt", "one\ntwo\nthree\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "base")
	w.Engine = w.open()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// open makes an engine on the world's data, as this process would once more.
func (w *world) open() *orchestrator.Engine { return w.openAs(proc.Table{}) }

// neighbour is the process table as another boo sees it that runs beside this one.
type neighbour struct{ proc.Table }

func (n neighbour) Self() orchestrator.Owner {
	other := n.Table.Self()
	other.StartTime++
	return other
}

func (w *world) openAs(processes orchestrator.Processes) *orchestrator.Engine {
	w.t.Helper()
	self, err := os.Executable()
	w.check(err)
	custom := map[orchestrator.AgentName]backends.Custom{}
	for _, name := range []orchestrator.AgentName{"one", "two"} {
		custom[name] = backends.Custom{
			Command: []string{self, "scripted-agent", "--store", filepath.Join(w.data, "agent-"+string(name))},
		}
	}
	for _, name := range kin {
		custom[name] = backends.Custom{
			Protocol: "acp", Command: []string{self, "scripted-agent", "--store", filepath.Join(w.data, "agent-kin")},
		}
	}
	registry, err := backends.New(backends.Options{
		Launcher: proc.Launcher{}, Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: "test"}, "opencode": opencode.Protocol{}},
		Custom: custom, Data: w.data, Environ: os.Environ(),
	})
	w.check(err)
	trees, err := worktree.New(worktree.Options{Dir: filepath.Join(w.data, "git")})
	w.check(err)
	locks, err := daemon.NewLocks(filepath.Join(w.data, "locks"))
	w.check(err)
	db, err := store.Open(w.t.Context(), filepath.Join(w.data, "boo.db"), store.Options{})
	w.check(err)
	w.full = &fullDisk{Store: db}
	w.pool = backends.NewPool(registry, backends.PoolOptions{Dir: filepath.Join(w.data, "common")})
	return orchestrator.NewEngine(orchestrator.Config{
		Store: w.full, Trees: trees, Agents: w.pool, Pending: pending.New(trees, db, locks), Locks: locks,
		Archives:  &reaper.Archiver{Root: filepath.Join(w.data, "worktrees"), Trees: trees, Rows: db, Processes: proc.Table{}},
		Processes: processes, Worktrees: filepath.Join(w.data, "worktrees"), Agent: "one", Histories: filepath.Join(w.data, "histories"),
	})
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.repo
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func (w *world) write(name, content string) {
	w.t.Helper()
	w.check(os.WriteFile(filepath.Join(w.repo, name), []byte(content), 0o644))
}

// send sends a prompt to an agent.
func (w *world) send(agent orchestrator.AgentName, prompt string, change ...func(*orchestrator.SendRequest)) orchestrator.Sent {
	w.t.Helper()
	req := orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Agent: agent, Prompt: prompt}
	for _, c := range change {
		c(&req)
	}
	sent, err := w.Send(w.t.Context(), req)
	w.check(err)
	return sent
}

// heard is what a turn told.
type heard struct {
	events []orchestrator.Event
	state  orchestrator.TurnState
	reason string
}

// text joins the pieces of the answer.
func (h heard) text() string {
	var b strings.Builder
	for _, ev := range h.events {
		if ev.Kind == orchestrator.EventText {
			b.WriteString(ev.Text)
		}
	}
	return b.String()
}

func (h heard) summary() orchestrator.TurnSummary {
	for _, ev := range h.events {
		if ev.Kind == orchestrator.EventSummary {
			return *ev.Summary
		}
	}
	return orchestrator.TurnSummary{}
}

// follow hears a turn to its end; react may answer what it sees.
func (w *world) follow(turn orchestrator.TurnID, react func(orchestrator.Event)) heard {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	var h heard
	w.check(w.Follow(ctx, turn, 0, func(ev orchestrator.Event) error {
		h.events = append(h.events, ev)
		if ev.Kind == orchestrator.EventTurn {
			h.state, h.reason = ev.State, ev.Text
		}
		if react != nil {
			react(ev)
		}
		return nil
	}))
	return h
}

// turn sends a prompt and hears the turn to its end.
func (w *world) turn(agent orchestrator.AgentName, prompt string) heard {
	w.t.Helper()
	h := w.follow(w.send(agent, prompt).Turn, nil)
	if h.state != orchestrator.TurnCompleted {
		w.t.Fatalf("turn %q ended as %s: %s", prompt, h.state, h.reason)
	}
	// Those who follow do not wait until its files are compared.
	release, err := w.Locks.Lock(w.t.Context(), orchestrator.ChatLock(h.events[0].Chat), func() {})
	w.check(err)
	release()
	return h
}

// tree returns the path of a file in the worktree of the chat last used.
func (w *world) tree(name string) string {
	w.t.Helper()
	chat, err := w.Chat(w.t.Context(), orchestrator.ChatRef{Dir: w.repo})
	w.check(err)
	return filepath.Join(string(chat.Worktree.Dir), name)
}

// changes lists the pending changes as "path by agents".
func (w *world) changes() []string {
	w.t.Helper()
	rows, err := w.Changes(w.t.Context(), orchestrator.ChangeSelector{Dir: w.repo})
	w.check(err)
	var list []string
	for _, r := range rows {
		var names []string
		for _, a := range r.Agents() {
			names = append(names, string(a))
		}
		list = append(list, r.Path.String()+" by "+strings.Join(names, ","))
	}
	return list
}
