package main

import (
	"cmp"
	"slices"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// turnView shows the events of turns on a screen: text as it comes, thoughts
// dimmed, tool calls on a line each, the plan as a checklist, and at the end
// what changed.
type turnView struct {
	screen   *tty.Screen
	worktree orchestrator.WorktreeDir
	past     bool   // the events are history: nothing is live any more
	message  string // id of the message that streams in
	running  []orchestrator.ToolCall
	ended    map[string]bool
	plan     []orchestrator.PlanEntry
	idle     string // what is waited for while nothing can be seen; "" if something can
}

func newTurnView(screen *tty.Screen, worktree orchestrator.WorktreeDir) *turnView {
	return &turnView{screen: screen, worktree: worktree, ended: map[string]bool{}}
}

// live reports whether running calls are shown in place.
func (v *turnView) live() bool { return !v.past && v.screen.Redraws() }

func (v *turnView) line(spans ...tty.Span) { v.screen.Line(spans...) }

// close ends the screen.
func (v *turnView) close() { v.screen.Close() }

// event shows one event.
func (v *turnView) event(ev orchestrator.Event) {
	switch ev.Kind {
	case orchestrator.EventTurn:
		v.state(ev)
	case orchestrator.EventText:
		v.stream(tty.Answer, ev)
	case orchestrator.EventThought:
		v.stream(tty.Thought, ev)
	case orchestrator.EventTool:
		v.tool(*ev.Tool)
	case orchestrator.EventPlan:
		v.showPlan(ev.Plan)
	case orchestrator.EventSession:
		v.session(ev)
	case orchestrator.EventPermission:
		v.permission(*ev.Permission)
	case orchestrator.EventNotice:
		v.line(tty.Yellow("note: "), tty.Plain(ev.Text))
	case orchestrator.EventSummary:
		if v.past {
			for _, t := range v.running {
				v.line(tty.Yellow("● "), tty.Plain(v.describe(t)), tty.Dim("  never ended"))
			}
		}
		v.running, v.idle = nil, ""
		v.screen.Live(nil)
		v.summary(*ev.Summary)
	}
}

// state shows that something goes on before the agent says anything.
func (v *turnView) state(ev orchestrator.Event) {
	switch {
	case ev.State == orchestrator.TurnAccepted:
		v.idle = "preparing the worktree and the agent"
	case ev.State.Terminal():
		v.idle = ""
	}
	v.screen.Live(v.liveLines())
}

func (v *turnView) stream(kind tty.Kind, ev orchestrator.Event) {
	if v.idle != "" {
		v.idle = ""
		v.screen.Live(v.liveLines())
	}
	if ev.MessageID != v.message {
		if v.message != "" {
			v.screen.Break()
		}
		v.message = ev.MessageID
	}
	v.screen.Stream(kind, ev.Text)
}

func (v *turnView) session(ev orchestrator.Event) {
	s := ev.Session
	words := string(ev.Agent)
	if s.Version != "" {
		words += " " + s.Version
	}
	v.line(tty.Dim(words + " · session " + rungWords(s.Rung)))
	v.idle = string(ev.Agent) + " is working"
	v.screen.Live(v.liveLines())
}

// rungWords says how a session came to be.
func rungWords(r orchestrator.Rung) string {
	switch r {
	case orchestrator.RungWarm:
		return "warm"
	case orchestrator.RungResumed:
		return "resumed"
	case orchestrator.RungHistory:
		return "new, told what it missed"
	}
	return "new"
}

// tool shows a call: among the live lines while it runs, for good when it ends.
// Without a terminal there is a line at its start and one at its end.
func (v *turnView) tool(t orchestrator.ToolCall) {
	if v.ended[t.ID] {
		return
	}
	at := slices.IndexFunc(v.running, func(r orchestrator.ToolCall) bool { return r.ID == t.ID })
	over := t.Status == "completed" || t.Status == "failed"
	if at < 0 {
		v.screen.Break()
		if !v.live() && !v.past && !over {
			v.line(tty.Yellow("● "), tty.Plain(v.describe(t)))
		}
	}
	switch {
	case over:
		v.ended[t.ID] = true
		if at >= 0 {
			v.running = slices.Delete(v.running, at, at+1)
		}
		v.endTool(t)
	case at >= 0:
		v.running[at] = t
	default:
		v.running = append(v.running, t)
	}
	v.idle = "the agent is working"
	v.screen.Live(v.liveLines())
}

func (v *turnView) endTool(t orchestrator.ToolCall) {
	mark, status := tty.Green("✓ "), ""
	if t.Status == "failed" {
		mark, status = tty.Red("✗ "), "  failed"
		if line, _, _ := strings.Cut(strings.TrimSpace(t.Output), "\n"); line != "" {
			status += ": " + tty.Cut(tty.Line(line), 120)
		}
	} else if !v.live() && !v.past {
		status = "  done"
	}
	v.line(mark, tty.Plain(v.describe(t)), tty.Dim(status))
}

func (v *turnView) liveLines() [][]tty.Span {
	if v.past {
		return nil
	}
	var lines [][]tty.Span
	for _, t := range v.running {
		lines = append(lines, []tty.Span{tty.Yellow("● "), tty.Plain(v.describe(t))})
	}
	if len(lines) == 0 && v.idle != "" {
		lines = append(lines, []tty.Span{tty.Dim("… " + v.idle)})
	}
	return lines
}

// permission shows an answer; the question itself is the watch's.
func (v *turnView) permission(p orchestrator.Permission) {
	if p.Outcome == "" || p.By != orchestrator.ByPolicy {
		return
	}
	word := "refused"
	for _, o := range p.Options {
		if o.ID == p.Outcome && strings.HasPrefix(o.Kind, "allow") {
			word = "allowed"
		}
	}
	if p.Reason != "" {
		p.By += ", " + p.Reason
	}
	p.Tool.Kind = cmp.Or(p.Kind, p.Tool.Kind)
	v.line(tty.Yellow("! "), tty.Plain("the agent asked to "+askedFor(p)+" ("+v.describe(p.Tool)+"): "+word+" by "+p.By))
}

// showPlan shows a new plan whole, and of one that moves on only what moved.
func (v *turnView) showPlan(plan []orchestrator.PlanEntry) {
	same := len(plan) == len(v.plan)
	for i := range plan {
		same = same && plan[i].Content == v.plan[i].Content
	}
	old := v.plan
	v.plan = plan
	v.screen.Break()
	if !same {
		v.line(tty.Bold("plan"))
	}
	for i, step := range plan {
		if same && old[i].Status == step.Status {
			continue
		}
		switch step.Status {
		case "completed":
			v.line(tty.Green("  ☑ "), tty.Plain(step.Content))
		case "in_progress":
			v.line(tty.Yellow("  ◐ "), tty.Plain(step.Content))
		default:
			v.line(tty.Dim("  ☐ "), tty.Plain(step.Content))
		}
	}
}
