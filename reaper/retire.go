package reaper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"boo/orchestrator"
)

// retireAll judges worktrees of one repository whose time has come, as far as
// their rows tell, archives those of which nothing is at risk, and holds the
// others.
func (p *pass) retireAll(ctx context.Context, list []orchestrator.SweepChat) error {
	var wts []orchestrator.Worktree
	for _, c := range list {
		wts = append(wts, c.Worktree)
	}
	p.Sweeper.before("judge")
	verdicts, err := p.keeper.Judge(ctx, wts)
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		use, err := v.Used, error(nil)
		if use.IsZero() {
			use, err = p.Trees.LastUse(ctx, list[i].Worktree)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && v.State == orchestrator.RiskClean:
			p.hold(ctx, unknownUse(list[i].Worktree, err))
		case err == nil && p.Rules.inUse(p.now, list[i], use) != "":
		case v.State != orchestrator.RiskClean:
			p.hold(ctx, v)
		default:
			p.retire(ctx, list[i])
		}
	}
	return nil
}

func unknownUse(wt orchestrator.Worktree, err error) orchestrator.RiskVerdict {
	return orchestrator.RiskVerdict{Chat: wt.Chat, Dir: wt.Dir, State: orchestrator.RiskUnverified, Risks: []orchestrator.Risk{
		{Kind: orchestrator.RiskUnknown, Detail: "when it was last used could not be found out: " + err.Error()},
	}}
}

// errUsed says that somebody was at a worktree since it was judged.
var errUsed = errors.New("it was used meanwhile")

// retire archives one worktree. All that led to that is looked at again under
// the chat's lock.
func (p *pass) retire(ctx context.Context, c orchestrator.SweepChat) {
	wt := c.Worktree
	_, why := p.Rules.decide(p.now, subject{SweepChat: c, there: true})
	step := orchestrator.SweepStep{Action: orchestrator.SweepArchive, Chat: wt.Chat, Path: string(wt.Dir), Reason: why}
	if p.req.DryRun {
		p.note(ctx, step)
		return
	}
	before, err := os.Lstat(string(wt.Dir))
	if err != nil {
		p.fail(wt.Chat, string(wt.Dir), err)
		return
	}
	p.Sweeper.before("retire")
	done, err := p.keeper.Retire(ctx, wt.Chat, func(row orchestrator.Worktree) error {
		now, err := os.Lstat(string(wt.Dir))
		if err != nil {
			return err
		}
		if row.State != wt.State || row.Dir != wt.Dir || row.Base != wt.Base || !os.SameFile(before, now) {
			return errUsed
		}
		chats, err := p.Rows.SweepChats(ctx, live, justBefore(wt.Chat), 1)
		if err != nil {
			return err
		}
		use, err := p.Trees.LastUse(ctx, wt)
		if err != nil {
			return err
		}
		if len(chats) != 1 || chats[0].Worktree.Chat != wt.Chat || p.Rules.inUse(p.now, chats[0], use) != "" {
			return errUsed
		}
		return nil
	})
	switch {
	case err == nil && !done.Already:
		if len(done.Left) > 0 {
			step.Reason += "; ignored, and too much to be kept: " + strings.Join(done.Left, ", ")
		}
		for _, warning := range done.Warnings {
			step.Reason += "; " + warning
		}
		p.note(ctx, step)
	case errors.Is(err, errUsed), orchestrator.CodeOf(err) == orchestrator.CodeBusy:
	case len(done.Verdict.Risks) > 0:
		p.hold(ctx, done.Verdict)
	case orchestrator.CodeOf(err) == orchestrator.CodeAtRisk:
		p.hold(ctx, orchestrator.RiskVerdict{Chat: wt.Chat, Dir: wt.Dir, Risks: []orchestrator.Risk{{Kind: orchestrator.RiskUnrecorded, Detail: err.Error()}}})
	case err != nil:
		p.fail(wt.Chat, string(wt.Dir), err)
	}
}

// justBefore is what a chat's id comes first after.
func justBefore(chat orchestrator.ChatID) orchestrator.ChatID {
	last := len(chat) - 1
	return chat[:last] + orchestrator.ChatID(chat[last]-1) + "~"
}

// hold keeps something that is at risk. It is told of once, and again when the
// reason is another one.
func (p *pass) hold(ctx context.Context, v orchestrator.RiskVerdict) {
	before := p.held[string(v.Chat)]
	h := held(p.now, before, v)
	p.seen[h.Name] = true
	same := slices.EqualFunc(before.Risks, h.Risks, func(a, b orchestrator.Risk) bool { return a.Kind == b.Kind && a.Detail == b.Detail })
	if same && !p.req.DryRun {
		p.sweep.Counts[orchestrator.SweepHold]++
	} else {
		p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepHold, Chat: v.Chat, Path: string(v.Dir), Reason: Words(p.now.Wall, h.Risks)})
	}
	if p.req.DryRun {
		return
	}
	if err := p.Rows.PutHold(ctx, h); err != nil {
		p.fail(v.Chat, string(v.Dir), err)
	}
}

// Words says why something is kept: "kept: 3 commits on no branch, the newest 2h
// ago".
func Words(now time.Time, risks []orchestrator.Risk) string {
	var reasons []string
	for _, r := range risks {
		reason := r.Detail
		if age := now.Sub(r.Since); !r.Since.IsZero() && age >= 0 {
			word := ", "
			if r.Count > 1 {
				word = ", the newest "
			}
			reason += word + roughly(age) + " ago"
		}
		reasons = append(reasons, reason)
	}
	return "kept: " + strings.Join(reasons, "; ")
}

// roughly is a span of time in one unit.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		span time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d >= unit.span {
			return fmt.Sprintf("%d%s", d/unit.span, unit.name)
		}
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
