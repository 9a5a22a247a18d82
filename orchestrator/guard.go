package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// haltGrace is what an agent gets to end a turn that nobody waits to see ended.
const haltGrace = 10 * time.Second

// halted is why boo ends a turn that its agent goes on with.
type halted struct {
	reason string // begins with the word that the state machine has for it
	hint   string
}

// guard watches over one turn from the prompt to the agent's answer: that the
// agent gives signs of life, does not go in circles, and stays within the
// turn's limits. It ends the turn in the way of a person's stop.
//
// see is called by the goroutine that reads the agent; the guard's own goroutine
// keeps the time and does the ending, which waits for the reader.
type guard struct {
	lt     *liveTurn
	tell   func(Event) // records what boo has to say
	quiet  time.Duration
	limits Limits
	began  time.Time

	last   atomic.Int64 // when the last sign of life was, after began
	halts  chan halted  // holds the one halt
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	calls  callBook
	circle loop
	warned string // what the loop detector found last
}

// newGuard begins to watch; close ends it.
func newGuard(lt *liveTurn, limits Limits, tell func(Event)) *guard {
	ctx, cancel := context.WithCancel(lt.ctx)
	g := &guard{
		lt: lt, tell: tell, quiet: lt.e.Policy.Stall, limits: limits, began: time.Now(), cancel: cancel,
		halts: make(chan halted, 1), done: make(chan struct{}),
		circle: loop{mode: lt.e.Policy.Loop},
	}
	go g.run(ctx)
	return g
}

// close waits for the guard and returns how many tool calls it has seen, and what
// circle the agent seemed to go in, if any.
func (g *guard) close() (calls int, circle string) {
	g.cancel()
	<-g.done
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls.begun, g.warned
}

// alive takes note of a sign of life.
func (g *guard) alive() { g.last.Store(int64(time.Since(g.began))) }

func (g *guard) idle() time.Duration { return time.Since(g.began) - time.Duration(g.last.Load()) }

// see looks at one event before it is recorded.
func (g *guard) see(ev Event) {
	g.alive()
	warning, stop := g.examine(ev)
	g.tell(ev)
	if warning != "" {
		g.tell(Event{Kind: EventNotice, Text: warning})
	}
	if stop != nil {
		select {
		case g.halts <- *stop:
		default: // it is being halted
		}
	}
}

func (g *guard) examine(ev Event) (warning string, stop *halted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch ev.Kind {
	case EventTool:
		begins, ends := g.calls.note(ev.Tool)
		switch {
		case begins && g.lt.e.Policy.MaxSteps > 0 && g.calls.begun > g.lt.e.Policy.MaxSteps:
			return "", &halted{fmt.Sprintf("max_steps: it has begun %d tool calls, the limit is %d", g.calls.begun, g.lt.e.Policy.MaxSteps), goOn(g.lt.turn.Chat, "")}
		case begins && g.limits.Calls > 0 && g.calls.begun > g.limits.Calls:
			return "", g.spent(fmt.Sprintf("%d tool calls, the limit is %d", g.limits.Calls, g.limits.Calls), fmt.Sprintf("--max-calls %d", 2*g.limits.Calls))
		case ends:
			return g.verdict(g.circle.call(ev.Tool))
		}
	case EventText:
		return g.verdict(g.circle.text(ev.MessageID, ev.Text))
	case EventUsage:
		return "", g.usage(*ev.Usage)
	}
	return "", nil
}

// verdict turns what the loop detector found into what is to be done.
func (g *guard) verdict(found finding) (warning string, stop *halted) {
	switch {
	case found.text == "":
		return "", nil
	case found.halt:
		return "", circling(g.lt.turn.Chat, found.text)
	}
	g.warned = found.text
	return string(g.lt.turn.Agent) + " may be going in circles: " + found.text, nil
}

// circling is the halt of a turn that goes in circles.
func circling(chat ChatID, what string) *halted {
	return &halted{"loop: " + what, fmt.Sprintf(`boo chat send -c %s "that leads nowhere; try another way"`, chat)}
}

// run keeps the time, and ends the turn when it has to be.
func (g *guard) run(ctx context.Context) {
	defer close(g.done)
	var over <-chan time.Time
	if g.limits.Time > 0 {
		timer := time.NewTimer(g.limits.Time)
		defer timer.Stop()
		over = timer.C
	}
	var check <-chan time.Time
	watch := watchdog{guard: g}
	if g.quiet > 0 {
		watch.timer = time.NewTimer(g.quiet / 2)
		defer watch.timer.Stop()
		watch.effort, _ = g.effort()
		check = watch.timer.C
	}
	for {
		select {
		case stop := <-g.halts:
			g.lt.halt(stop)
			return
		case <-over:
			stop := g.spent(fmt.Sprintf("%s of time, the limit is %s", g.limits.Time, g.limits.Time), fmt.Sprintf("--max-time %s", 2*g.limits.Time))
			g.lt.halt(*stop)
			return
		case <-check:
			if stop := watch.look(); stop != nil {
				g.lt.halt(*stop)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// watchdog tells an agent that is at work from one that is not.
//
//	a sign ──▶ quiet ──half the time──▶ warned ──the other half──▶ halted
//	  ▲          │                        │
//	  ╰── event, open question, work of a running tool
type watchdog struct {
	*guard
	timer  *time.Timer
	effort time.Duration // CPU time of the agent's processes when last looked at
	looked time.Duration // when that was, after began
	warned bool
}

// A tool that is at work uses at least this share of one processor: a build does,
// an agent that waits for nothing does not.
const workShare = 0.01

// look judges how long it was quiet and sets the timer anew.
func (w *watchdog) look() *halted {
	if w.lt.asking.Load() > 0 || w.working() {
		w.alive()
	}
	idle := w.idle()
	switch {
	case idle >= w.quiet:
		return &halted{
			fmt.Sprintf("stalled: no sign of life from %s for %s", w.lt.turn.Agent, w.quiet),
			goOn(w.lt.turn.Chat, ""),
		}
	case idle < w.quiet/2:
		w.warned = false
		w.timer.Reset(w.quiet/2 - idle)
		return nil
	case !w.warned:
		w.warned = true
		w.tell(Event{Kind: EventNotice, Text: fmt.Sprintf(
			"no sign of life from %s for %s; after %s the turn is halted", w.lt.turn.Agent, idle.Round(time.Second), w.quiet)})
	}
	w.timer.Reset(w.quiet - idle)
	return nil
}

// working reports whether a tool runs and the agent's processes have been at
// work since the last look: agents tell nothing while a build runs.
func (w *watchdog) working() bool {
	effort, ok := w.guard.effort()
	now := time.Since(w.began)
	worked, passed := effort-w.effort, now-w.looked
	w.effort, w.looked = effort, now
	w.mu.Lock()
	defer w.mu.Unlock()
	return ok && len(w.calls.open) > 0 && worked > 0 && float64(worked) >= workShare*float64(passed)
}

// effort is the CPU time that the agent's processes have used so far.
func (g *guard) effort() (used time.Duration, ok bool) {
	for _, a := range g.lt.e.Agents.Live() {
		if a.Agent == g.lt.turn.Agent && slices.Contains(a.Chats, g.lt.turn.Chat) {
			return time.Duration(a.CPU) * time.Millisecond, true
		}
	}
	return 0, false
}

// halt ends the turn for boo's own reason, in the way of a stop: the agent is
// asked, and ended if it does not answer. A stop or end that came first wins.
func (lt *liveTurn) halt(why halted) {
	lt.mu.Lock()
	if lt.judged || lt.stopping || lt.session == nil {
		lt.mu.Unlock()
		return
	}
	lt.stopping, lt.halted = true, &why
	session := lt.session
	lt.mu.Unlock()
	// A failure is the same as that of the prompt, which settles the turn.
	_ = session.Stop(lt.e.life, haltGrace)
}
