package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// hookTime is how long a person's hook may take.
const hookTime = 10 * time.Second

// turnReport is what a hook reads. Fields are added over time, never renamed or
// removed.
type turnReport struct {
	Chat     ChatID      `json:"chat"`
	Title    string      `json:"title"`
	Turn     TurnID      `json:"turn"`
	Number   int64       `json:"number"`
	Agent    AgentName   `json:"agent"`
	Model    string      `json:"model,omitempty"`
	State    TurnState   `json:"state"`
	Reason   string      `json:"reason,omitempty"`
	Hint     string      `json:"hint,omitempty"`
	Repo     CheckoutDir `json:"repo"`
	Worktree WorktreeDir `json:"worktree"`
	Pending  int         `json:"pending"`
	Usage    Usage       `json:"usage"`
	Calls    int         `json:"tool_calls"`
	Started  time.Time   `json:"started_at,omitzero"`
	Ended    time.Time   `json:"ended_at,omitzero"`
}

// hooked reports whether the person wants to be told of the turn's end.
func (lt *liveTurn) hooked() bool { return len(lt.e.Policy.OnTurnEnd) > 0 && lt.e.Commands != nil }

// runHook tells the person's program of the turn's end. It is run where no agent
// can put anything; that it fails is noted in the chat, and is no failure of the
// turn.
func (lt *liveTurn) runHook() {
	if !lt.hooked() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookTime+settleTime)
	defer cancel()
	report, err := lt.report(ctx)
	if err != nil || !report.State.Terminal() {
		return // the turn's own error says more, or whoever settles it
	}
	input, err := json.Marshal(report)
	if err == nil {
		var result CommandResult
		result, err = lt.e.Commands.Run(ctx, CommandRequest{
			Args: lt.e.Policy.OnTurnEnd, Input: append(input, '\n'), Dir: "/", Env: report.environ(),
			EnvPass: []string{"*"}, Environ: lt.environ, Limit: hookTime,
		})
		if err == nil {
			err = result.failure()
		}
	}
	if err == nil {
		return
	}
	_, _ = lt.e.Store.AppendEvents(ctx, lt.turn.Chat, []Event{{
		Chat: lt.turn.Chat, At: lt.e.Now(), Kind: EventNotice, Text: fmt.Sprintf("the hook on_turn_end (%s) failed: %v", lt.e.Policy.OnTurnEnd[0], err),
	}}) // there is nobody else to tell
	lt.e.announce(lt.turn.Chat)
}

func (lt *liveTurn) report(ctx context.Context) (turnReport, error) {
	t, err := lt.e.Store.Turn(ctx, lt.turn.ID)
	if err != nil {
		return turnReport{}, err
	}
	chats, err := lt.e.Store.Chats(ctx, ChatQuery{Called: string(t.Chat)})
	if err != nil || len(chats) == 0 {
		return turnReport{}, err
	}
	chat := chats[0]
	return turnReport{
		Chat: t.Chat, Title: chat.Title, Turn: t.ID, Number: t.Number, Agent: t.Agent, Model: t.Model,
		State: t.State, Reason: t.Reason, Hint: t.Hint, Repo: chat.RepoRoot, Worktree: chat.Worktree.Dir,
		Pending: chat.Pending, Usage: t.Usage, Calls: t.Calls, Started: t.Started, Ended: t.Ended,
	}, nil
}

// environ is the short form of a report. Values hold no NUL, which an
// environment could not.
func (r turnReport) environ() []string {
	var env []string
	for _, v := range [][2]string{
		{"CHAT", string(r.Chat)}, {"TITLE", r.Title}, {"TURN", string(r.Turn)}, {"AGENT", string(r.Agent)}, {"STATE", string(r.State)},
		{"REASON", r.Reason}, {"REPO", string(r.Repo)}, {"WORKTREE", string(r.Worktree)}, {"PENDING", fmt.Sprint(r.Pending)},
	} {
		env = append(env, "BOO_"+v[0]+"="+strings.ReplaceAll(v[1], "\x00", ""))
	}
	return env
}

// failure is nil for a command that succeeded.
func (r CommandResult) failure() error {
	said := ""
	if tail := strings.TrimSpace(r.Tail); tail != "" {
		said = "; it wrote: " + strings.ToValidUTF8(tail, "\uFFFD")
	}
	switch {
	case r.OK():
		return nil
	case r.TimedOut:
		return fmt.Errorf("it took longer than %s%s", hookTime, said)
	}
	return fmt.Errorf("exit status %d%s", r.Exit, said)
}
