package scriptedagent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// knobs has the steps that are this package's own; rest is what follows the
// verb.
var knobs = map[string]func(ctx context.Context, t *turn, rest string) error{
	"noise":     noise,
	"unknown":   unknown,
	"request":   request,
	"cost":      cost,
	"ask":       ask,
	"orphan":    leaveOrphan,
	"deaf":      deafen,
	"mute":      func(_ context.Context, t *turn, _ string) error { return t.agent.out.close() },
	"half":      half,
	"exit":      exit,
	"die":       die,
	"fail":      fail,
	"stop":      func(_ context.Context, t *turn, reason string) error { t.stop = reason; return nil },
	"duplicate": func(_ context.Context, t *turn, _ string) error { t.twice = true; return nil },
	"trail": func(_ context.Context, t *turn, rest string) (err error) {
		t.trail, err = strconv.Atoi(rest)
		return err
	},
}

func noise(_ context.Context, t *turn, rest string) error {
	lines, err := strconv.Atoi(rest)
	if err != nil {
		return err
	}
	return t.agent.out.raw(strings.Repeat("warning: this line is not JSON\n", lines))
}

func unknown(_ context.Context, t *turn, kind string) error {
	return t.update(object{"sessionUpdate": kind, "content": object{"type": "text", "text": "of a kind to come"}, "extra": []int{1, 2}})
}

func cost(_ context.Context, t *turn, amount string) error {
	return t.update(object{"sessionUpdate": "usage_update", "used": 1, "size": 9, "cost": object{"amount": json.Number(amount), "currency": "USD"}})
}

func request(ctx context.Context, t *turn, method string) error {
	answer, err := t.agent.request(method, object{"sessionId": t.session.id})
	if err != nil {
		return err
	}
	select {
	case f := <-answer:
		if f.Error != nil {
			return t.say("refused: " + string(f.Error))
		}
		return t.say("answered: " + string(f.Result))
	case <-t.cancelled(ctx):
		return ctx.Err()
	}
}

// ask waits for the answer also when the turn is cancelled: the protocol has
// the client answer every request that is open then.
func ask(_ context.Context, t *turn, rest string) error {
	t.calls++
	call := object{
		"toolCallId": fmt.Sprintf("ask-%d-%d", len(t.session.log), t.calls), "title": "run true", "kind": "execute",
		"status": "pending", "rawInput": object{"command": "true"},
	}
	answer, err := t.agent.request("session/request_permission", object{
		"sessionId": t.session.id, "toolCall": call,
		"options": []object{
			{"optionId": "yes", "name": "Allow", "kind": "allow_once"},
			{"optionId": "no", "name": "Reject", "kind": "reject_once"},
		},
	})
	if err != nil || rest == "nowait" {
		return err
	}
	f := <-answer
	var result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	if f.Result == nil {
		return t.say("permission was not answered: " + string(f.Error))
	}
	if err := json.Unmarshal(f.Result, &result); err != nil {
		return err
	}
	return t.say(strings.TrimSpace("permission: " + result.Outcome.Outcome + " " + result.Outcome.Option))
}

func leaveOrphan(_ context.Context, t *turn, _ string) error {
	pid, err := orphan(t.session.cwd)
	if err != nil {
		return err
	}
	return t.say("orphan " + pid)
}

func deafen(_ context.Context, t *turn, _ string) error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	t.agent.deaf.Store(true)
	return t.say("deaf")
}

func half(ctx context.Context, t *turn, rest string) error {
	if err := t.agent.out.raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sess`); err != nil {
		return err
	}
	return exit(ctx, t, rest)
}

func exit(_ context.Context, _ *turn, rest string) error {
	code, err := strconv.Atoi(rest)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "boo-agent: exit %d, as asked\n", code)
	syscall.Exit(code)
	return nil
}

// die does not return.
func die(context.Context, *turn, string) error {
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func fail(_ context.Context, _ *turn, rest string) error {
	digits, text, _ := strings.Cut(rest, " ")
	code, err := strconv.Atoi(digits)
	if err != nil {
		return err
	}
	return &rpcError{Code: code, Message: text}
}
