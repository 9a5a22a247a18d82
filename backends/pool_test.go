package backends_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// agents plays the agents of a pool: processes that are none, and sessions
// that do what the test says.
type agents struct {
	mu      sync.Mutex
	live    []*body
	started int
	shares  bool
	keeps   bool  // sessions can be resumed
	fails   bool  // no agent comes up
	memory  int64 // of each

	forgotten []string // "pid id" of sessions that were deleted
}

// body is one agent's process.
type body struct {
	backends.Child
	of     *agents
	pid    int
	dir    string
	done   chan struct{}
	once   sync.Once
	cause  error
	opened int
	put    []string // sessions put away
}

func (a *agents) Launch(_ context.Context, cmd backends.Command) (backends.Child, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started++
	b := &body{of: a, pid: a.started, dir: cmd.Dir, done: make(chan struct{})}
	a.live = append(a.live, b)
	return b, nil
}

func (a *agents) Boot(ctx context.Context, _ backends.Definition, launch backends.Launch) (backends.Host, error) {
	c, err := launch(ctx, nil)
	if err != nil {
		return nil, err
	}
	if a.fails {
		c.(*body).die(nil)
		return nil, errors.New("it does not come up")
	}
	return backendsHost{c.(*body)}, nil
}

// pids lists the processes that live.
func (a *agents) pids() []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	var pids []int
	for _, b := range a.live {
		pids = append(pids, b.pid)
	}
	return pids
}

func (a *agents) body(pid int) *body {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.live[slices.IndexFunc(a.live, func(b *body) bool { return b.pid == pid })]
}

func (b *body) Identity() orchestrator.Process { return orchestrator.Process{PID: b.pid} }
func (b *body) Tree() backends.TreeUse         { return backends.TreeUse{Processes: 1, Memory: b.of.memory} }

// die ends the process; without a cause it was told to.
func (b *body) die(cause error) {
	b.once.Do(func() {
		b.of.mu.Lock()
		defer b.of.mu.Unlock()
		b.of.live = slices.DeleteFunc(b.of.live, func(o *body) bool { return o == b })
		b.cause = cause
		close(b.done)
	})
}

type backendsHost struct{ b *body }

func (h backendsHost) Open(_ context.Context, req orchestrator.SessionRequest) (backends.Session, error) {
	h.b.of.mu.Lock()
	defer h.b.of.mu.Unlock()
	h.b.opened++
	info := orchestrator.SessionInfo{NativeID: req.NativeID, Rung: orchestrator.RungResumed}
	if info.NativeID == "" {
		info.NativeID, info.Rung = fmt.Sprintf("s%d.%d", h.b.pid, h.b.opened), orchestrator.RungNew
	}
	return &played{b: h.b, info: info}, nil
}

func (h backendsHost) Forget(_ context.Context, _, id string) (bool, error) {
	h.b.of.mu.Lock()
	defer h.b.of.mu.Unlock()
	h.b.of.forgotten = append(h.b.of.forgotten, fmt.Sprint(h.b.pid, " ", id))
	return true, nil
}

func (h backendsHost) Resumes() bool                 { return h.b.of.keeps }
func (h backendsHost) Shares() bool                  { return h.b.of.shares }
func (h backendsHost) Done() <-chan struct{}         { return h.b.done }
func (h backendsHost) Failure(context.Context) error { return h.b.cause }
func (h backendsHost) Close(context.Context) error   { h.b.die(nil); return nil }

type played struct {
	backends.Session
	b    *body
	info orchestrator.SessionInfo
}

func (s *played) Info() orchestrator.SessionInfo    { return s.info }
func (s *played) Serve(orchestrator.SessionRequest) {}

func (s *played) Prompt(context.Context, []string, func() error, func(orchestrator.Event)) (orchestrator.TurnResult, error) {
	select {
	case <-s.b.done:
		return orchestrator.TurnResult{}, fmt.Errorf("%w (%w)", orchestrator.ErrAgentDied, s.b.cause)
	default:
		return orchestrator.TurnResult{Stop: "end_turn"}, nil
	}
}

func (s *played) Close(context.Context) error {
	s.b.of.mu.Lock()
	defer s.b.of.mu.Unlock()
	s.b.put = append(s.b.put, s.info.NativeID)
	return nil
}

// house is a pool with chats that take turns.
type house struct {
	t     *testing.T
	pool  *backends.Pool
	plays *agents
	chats map[orchestrator.ChatID]*orchestrator.SessionRequest
	ended map[orchestrator.ChatID][]error
	mu    sync.Mutex
	turns int
}

func newHouse(t *testing.T, plays *agents, o backends.PoolOptions) *house {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if plays.shares {
		o.Dir = t.TempDir()
	}
	r, err := backends.New(backends.Options{
		Launcher: plays, Protocols: map[string]backends.Protocol{"acp": plays, "opencode": plays}, Environ: []string{"PATH=/"},
		Custom: map[orchestrator.AgentName]backends.Custom{
			"one":      {Command: []string{self}, Shared: new(true)},
			"opencode": {Command: []string{self}}, // takes turns of several chats at once
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, pool: backends.NewPool(r, o), plays: plays,
		chats: map[orchestrator.ChatID]*orchestrator.SessionRequest{}, ended: map[orchestrator.ChatID][]error{}}
	t.Cleanup(func() {
		if err := h.pool.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if left := plays.pids(); len(left) > 0 {
			t.Errorf("processes %v outlive the pool", left)
		}
	})
	return h
}

// try begins a turn of a chat, as the engine does; change alters the request.
func (h *house) try(chat orchestrator.ChatID, change ...func(*orchestrator.SessionRequest)) (orchestrator.AgentSession, error) {
	h.t.Helper()
	req := h.chats[chat]
	if req == nil {
		req = &orchestrator.SessionRequest{Chat: chat, Agent: "one", Dir: "/"}
		h.chats[chat] = req
	}
	req.Last = req.Turn
	h.turns++
	req.Turn = orchestrator.TurnID(fmt.Sprint("t", h.turns))
	req.Ended = func(err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ended[chat] = append(h.ended[chat], err)
	}
	for _, c := range change {
		c(req)
	}
	s, err := h.pool.Start(h.t.Context(), *req)
	if err == nil {
		req.NativeID = s.Info().NativeID
	}
	return s, err
}

func (h *house) begin(chat orchestrator.ChatID, change ...func(*orchestrator.SessionRequest)) orchestrator.AgentSession {
	h.t.Helper()
	s, err := h.try(chat, change...)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// turn takes a whole turn and returns the rung it began on.
func (h *house) turn(chat orchestrator.ChatID, change ...func(*orchestrator.SessionRequest)) orchestrator.Rung {
	h.t.Helper()
	s := h.begin(chat, change...)
	if _, err := s.Prompt(h.t.Context(), nil, nil, nil); err != nil {
		h.t.Fatal(err)
	}
	h.release(s)
	return s.Info().Rung
}

func (h *house) release(s orchestrator.AgentSession) {
	h.t.Helper()
	if err := s.Release(h.t.Context()); err != nil {
		h.t.Error(err)
	}
}

func (h *house) told(chat orchestrator.ChatID) []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ended[chat])
}

func (h *house) want(what string, got, want any) {
	h.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestASessionIsWarmForTheNextTurnThatAsksForTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*orchestrator.SessionRequest)
		rung   orchestrator.Rung
	}{
		"the same":                    {func(*orchestrator.SessionRequest) {}, orchestrator.RungWarm},
		"another terminal":            {func(r *orchestrator.SessionRequest) { r.Environ = []string{"PATH=/", "TERM=dumb"} }, orchestrator.RungWarm},
		"another model":               {func(r *orchestrator.SessionRequest) { r.Model = "large" }, orchestrator.RungResumed},
		"another mode":                {func(r *orchestrator.SessionRequest) { r.Mode = "plan" }, orchestrator.RungResumed},
		"another directory":           {func(r *orchestrator.SessionRequest) { r.Dir = "/tmp" }, orchestrator.RungResumed},
		"another environment":         {func(r *orchestrator.SessionRequest) { r.Environ = []string{"PATH=/", "LANG=C"} }, orchestrator.RungResumed},
		"another session":             {func(r *orchestrator.SessionRequest) { r.NativeID = "else" }, orchestrator.RungResumed},
		"a turn was taken without it": {func(r *orchestrator.SessionRequest) { r.Last = "elsewhere" }, orchestrator.RungResumed},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{})
			h.want("first", h.turn("c1"), orchestrator.RungNew)
			h.want("second", h.turn("c1", test.change), test.rung)
			h.want("alive", len(h.plays.pids()), 1)
			if told := h.told("c1"); (test.rung == orchestrator.RungWarm) != (len(told) == 0) {
				t.Errorf("told of the end: %v", told)
			}
		})
	}
}

func TestAnIdleAgentEndsAfterItsTimeAndABusyOneDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{Idle: time.Minute})
		h.turn("c1")
		s := h.begin("c2")
		<-time.After(59 * time.Second)
		synctest.Wait()
		h.want("alive", h.plays.pids(), []int{1, 2})
		<-time.After(time.Second)
		synctest.Wait()
		h.want("alive after its time", h.plays.pids(), []int{2})
		h.want("told", h.told("c1"), []error{nil})
		h.release(s)
		<-time.After(time.Minute)
		synctest.Wait()
		h.want("alive in the end", len(h.plays.pids()), 0)
		h.want("back", h.turn("c1"), orchestrator.RungResumed)
	})
}

func TestTheLeastRecentlyUsedMakesRoomAndNeverABusyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{MaxLive: 2})
		for _, chat := range []orchestrator.ChatID{"c1", "c2"} {
			h.turn(chat)
			<-time.After(time.Second)
		}
		h.turn("c1") // c2 is the oldest now
		h.turn("c3")
		synctest.Wait()
		h.want("alive", h.plays.pids(), []int{1, 3})
		one, three, four := h.begin("c1"), h.begin("c3"), h.begin("c4")
		synctest.Wait()
		h.want("all busy", h.plays.pids(), []int{1, 3, 4})
		for _, s := range []orchestrator.AgentSession{one, three, four} {
			h.release(s)
			<-time.After(time.Second)
		}
		synctest.Wait()
		h.want("room again", h.plays.pids(), []int{3, 4})
	})
}

func TestMemoryIsALimitToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true, memory: 400}, backends.PoolOptions{MaxRSS: 1000})
		for _, chat := range []orchestrator.ChatID{"c1", "c2", "c3"} {
			h.turn(chat)
			<-time.After(time.Second)
			synctest.Wait()
		}
		h.want("alive", h.plays.pids(), []int{2, 3})
	})
}

func TestWhatCannotBeResumedStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{memory: 1 << 20}, backends.PoolOptions{Idle: time.Minute, MaxLive: 1, MaxRSS: 1})
		h.turn("c1")
		h.turn("c2")
		<-time.After(time.Hour)
		synctest.Wait()
		h.want("alive", h.plays.pids(), []int{1, 2})
		if err := h.pool.Evict(t.Context(), "c1", ""); err != nil {
			t.Error(err)
		}
		h.want("unless it is asked for", h.plays.pids(), []int{2})
	})
}

func TestAnAgentThatEndsBetweenTurnsIsNoticedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{})
		h.turn("c1")
		h.plays.body(1).die(errors.New("exit status 3"))
		synctest.Wait()
		h.want("told", h.told("c1"), "[exit status 3]")
		h.want("listed", len(h.pool.Live()), 0)
		h.want("back", h.turn("c1"), orchestrator.RungResumed)
	})
}

func TestAnAgentThatCrashesAgainAndAgainIsLeftAloneForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{})
		crash := func() {
			s := h.begin("c1")
			h.plays.body(slices.Max(h.plays.pids())).die(errors.New("signal: killed"))
			if _, err := s.Prompt(t.Context(), nil, nil, nil); !errors.Is(err, orchestrator.ErrAgentDied) {
				t.Errorf("prompt: %v", err)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			crash()
		}
		_, err := h.try("c1")
		if orchestrator.CodeOf(err) != orchestrator.CodeAgent || orchestrator.HintOf(err) == "" {
			t.Errorf("after three crashes: %v", err)
		}
		h.want("another chat", h.turn("c2"), orchestrator.RungNew)
		if err := h.pool.Evict(t.Context(), "c1", "one"); err != nil {
			t.Error(err)
		}
		crash() // a restart is allowed
		crash()
		crash()
		<-time.After(5 * time.Minute)
		h.want("after the cool-down", h.turn("c1"), orchestrator.RungResumed)
	})
}

func TestAStopEndsTheProcess(t *testing.T) {
	h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{})
	s := h.begin("c1")
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	h.want("alive", len(h.plays.pids()), 0)
	h.want("told, as if it had been released", len(h.told("c1")), 0)
	h.want("back", h.turn("c1"), orchestrator.RungResumed)
	// A late hand on the first one does not reach the second.
	if err := s.Close(t.Context()); err != nil || len(h.plays.pids()) != 1 {
		t.Errorf("%v, alive %v", err, h.plays.pids())
	}
}

func TestAClosedPoolStartsNothing(t *testing.T) {
	h := newHouse(t, &agents{keeps: true}, backends.PoolOptions{})
	h.turn("c1")
	if err := h.pool.Close(t.Context()); err != nil {
		t.Error(err)
	}
	h.want("told", h.told("c1"), []error{nil})
	if _, err := h.try("c1"); orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Errorf("start: %v", err)
	}
}

func TestASessionIsForgottenByAnAgentThatIsAlive(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	forget := func(id string, caps string) {
		t.Helper()
		deleted, err := h.pool.Forget(t.Context(), orchestrator.ForgetRequest{Chat: "c1", Agent: "one", NativeID: id, Dir: "/gone", Caps: []byte(caps)})
		h.want("deleted", deleted, caps == "")
		h.want("error", err, nil)
	}
	forget("s1", "") // by one that is started for it, and ends
	h.want("alive", len(h.plays.pids()), 0)
	h.turn("c1")
	forget("s2", "")
	forget("s3", `{"sessionCapabilities":{}}`) // it said that it cannot
	h.want("forgotten", h.plays.forgotten, []string{"1 s1", "2 s2"})
}
