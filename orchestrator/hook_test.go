package orchestrator_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/proc"
	"boo/orchestrator"
)

// hasty runs commands for real, and gives them less time than was asked for.
type hasty struct{ backends.Commands }

func (h hasty) Run(ctx context.Context, req orchestrator.CommandRequest) (orchestrator.CommandResult, error) {
	req.Limit = 100 * time.Millisecond
	return h.Commands.Run(ctx, req)
}

// A hook is the person's affair: the turn is as it was, whatever becomes of it,
// and the chat says so.
func TestAHookThatFailsIsNotedAndNoMore(t *testing.T) {
	runner := backends.Commands{Launcher: proc.Launcher{}}
	for name, c := range map[string]struct {
		runner orchestrator.Commands
		hook   []string
		noted  string
	}{
		"one that fails":        {runner, []string{"sh", "-c", "echo it broke >&2; exit 3"}, "the hook on_turn_end (sh) failed: exit status 3; it wrote: it broke"},
		"one that is not there": {runner, []string{"/no/such/hook"}, "the hook on_turn_end (/no/such/hook) failed: exit status 127"},
		"one that hangs":        {hasty{runner}, []string{"sleep", "1000"}, "the hook on_turn_end (sleep) failed: it took longer than 10s"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Commands, w.Policy.OnTurnEnd = c.runner, c.hook
			if h := w.turn("one", "say fine"); notices(h.events) != "" {
				t.Errorf("the turn was told %q", notices(h.events))
			}
			log, err := w.Log(t.Context(), orchestrator.ChatRef{Dir: w.repo}, 0, 1000)
			w.check(err)
			if said := notices(log); !strings.HasPrefix(said, c.noted) {
				t.Errorf("the chat was told %q, want %q", said, c.noted)
			}
			w.turn("one", "say on we go")
		})
	}
}

func TestAHookIsToldOfEveryEnd(t *testing.T) {
	w := newWorld(t)
	told := filepath.Join(t.TempDir(), "told")
	w.Commands, w.Policy.OnTurnEnd = backends.Commands{Launcher: proc.Launcher{}}, []string{"sh", "-c", `cat >>"$0"`, told}
	w.turn("one", "write a.txt with x")
	w.follow(w.send("one", "fail -32603 the model is gone").Turn, nil)
	w.follow(w.send("one", "die").Turn, nil)
	lines, err := os.ReadFile(told)
	w.check(err)
	var got []string
	for line := range strings.Lines(string(lines)) {
		var r struct{ State, Agent string }
		w.check(json.Unmarshal([]byte(line), &r))
		got = append(got, r.Agent+" "+r.State)
	}
	if want := "one completed, one failed, one interrupted"; strings.Join(got, ", ") != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
