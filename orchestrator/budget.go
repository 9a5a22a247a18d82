package orchestrator

import (
	"context"
	"fmt"
	"time"
)

// usage compares what the turn has cost so far with its limits. The agent's
// window is sent with each of its model calls, so the turn has cost at least
// that; it is all that some agents tell before the end.
func (g *guard) usage(u Usage) *halted {
	tokens := max(u.Input+u.Output, u.ContextUsed)
	switch {
	case g.limits.Tokens > 0 && tokens > g.limits.Tokens:
		return g.spent(fmt.Sprintf("%d tokens, the limit is %d", tokens, g.limits.Tokens), fmt.Sprintf("--max-tokens %d", 2*g.limits.Tokens))
	case g.limits.Cost > 0 && u.Cost > g.limits.Cost:
		return g.spent(fmt.Sprintf("%.4f %s, the limit is %.4f", u.Cost, u.Currency, g.limits.Cost), fmt.Sprintf("--max-cost %g", 2*g.limits.Cost))
	}
	return nil
}

// spent is the halt of a turn that has used up what it may; flag goes on with
// twice as much.
func (g *guard) spent(what, flag string) *halted {
	hint := goOn(g.lt.turn.Chat, flag)
	if g.lt.tight {
		hint = "boo chat send --new …, or raise budget.chat in config.toml"
	}
	return &halted{"budget: it has used " + what, hint}
}

// bounds returns the turn's limits: its own, or the configured ones, and what
// is left of the chat's.
func (lt *liveTurn) bounds(ctx context.Context) (Limits, error) {
	limits := lt.limits.or(lt.e.Policy.Turn)
	left, err := lt.e.leftOf(ctx, lt.turn.Chat)
	if err != nil {
		return limits, err
	}
	bound := limits.within(left)
	lt.tight = bound != limits
	return bound, nil
}

// leftOf returns what a chat may still use. CodeInvalid if there is a bound of
// which nothing is left.
func (e *Engine) leftOf(ctx context.Context, chat ChatID) (Limits, error) {
	if e.Policy.Chat == (Limits{}) {
		return Limits{}, nil
	}
	turns, err := e.Store.Turns(ctx, chat)
	if err != nil {
		return Limits{}, err
	}
	left, gone := e.Policy.Chat.less(usedBy(turns))
	if gone != "" {
		return left, Errorf(CodeInvalid, "chat %s has used up its budget of %s; nothing was sent", chat, gone).
			WithHint("boo chat send --new …, or raise budget.chat in config.toml")
	}
	return left, nil
}

// usedBy is what turns have used together.
func usedBy(turns []Turn) Limits {
	var used Limits
	for _, t := range turns {
		used.Tokens += t.Usage.Input + t.Usage.Output
		used.Cost += t.Usage.Cost
		used.Calls += t.Calls
		if !t.Started.IsZero() && !t.Ended.IsZero() {
			used.Time += t.Ended.Sub(t.Started)
		}
	}
	return used
}

// less returns what is left of l; gone names a bound of which nothing is.
func (l Limits) less(used Limits) (left Limits, gone string) {
	left = l
	for _, bound := range []struct {
		name string
		set  bool
		over bool
	}{
		{fmt.Sprintf("%d tokens", l.Tokens), l.Tokens > 0, used.Tokens >= l.Tokens},
		{fmt.Sprintf("%g in cost", l.Cost), l.Cost > 0, used.Cost >= l.Cost},
		{fmt.Sprintf("%s of time", l.Time), l.Time > 0, used.Time >= l.Time},
		{fmt.Sprintf("%d tool calls", l.Calls), l.Calls > 0, used.Calls >= l.Calls},
	} {
		if bound.set && bound.over {
			return left, bound.name
		}
	}
	left.Tokens = max(l.Tokens-used.Tokens, 0)
	left.Cost = max(l.Cost-used.Cost, 0)
	left.Time = max(l.Time-used.Time, 0)
	left.Calls = max(l.Calls-used.Calls, 0)
	return left, ""
}

// within returns l with each bound at most that of other.
func (l Limits) within(other Limits) Limits {
	l.Tokens = tighter(l.Tokens, other.Tokens)
	l.Cost = tighter(l.Cost, other.Cost)
	l.Time = tighter(l.Time, other.Time)
	l.Calls = tighter(l.Calls, other.Calls)
	return l
}

func tighter[T int | int64 | float64 | time.Duration](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
