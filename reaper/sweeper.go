package reaper

import (
	"context"
	"errors"
	"time"

	"boo/orchestrator"
)

// SweepTrees is what a sweep needs of git.
type SweepTrees interface {
	Trees
	// LastUse tells when a worktree was last used, as its files show.
	LastUse(ctx context.Context, wt orchestrator.Worktree) (time.Time, error)
	// Traces reports whether anything but its directory is left of the making of a
	// worktree.
	Traces(wt orchestrator.Worktree) bool
	// Discard removes a worktree that was half made; CodeAtRisk if it has
	// snapshots.
	Discard(ctx context.Context, wt orchestrator.Worktree) error
	// Owner finds out what worktree a directory is that nobody knows of.
	Owner(ctx context.Context, dir string) (orchestrator.Worktree, error)
	// Registered lists the worktrees below root that a repository has in its
	// books in boo's name.
	Registered(ctx context.Context, common orchestrator.GitDir, root string) ([]orchestrator.Worktree, error)
	// Debris removes what commands that died left of boo's in a repository before
	// a time, with dry only tells, in words for people.
	Debris(ctx context.Context, common orchestrator.GitDir, before time.Time, dry bool) ([]string, error)
	// Chats lists the chats that a repository holds refs of.
	Chats(ctx context.Context, common orchestrator.GitDir) ([]orchestrator.ChatID, error)
	// KeptRisks tells what would be lost for good with an archive.
	KeptRisks(ctx context.Context, wts []orchestrator.Worktree) (map[orchestrator.ChatID][]orchestrator.Risk, error)
	// Private lists the chats that have files for boo's git alone, and since when.
	Private() (map[orchestrator.ChatID]time.Time, error)
	// DropPrivate removes these of a chat. They are made again when they are needed.
	DropPrivate(chat orchestrator.ChatID) error
	// Release ends an archive.
	Release(ctx context.Context, common orchestrator.GitDir, chat orchestrator.ChatID) error
}

// SweepRows is what it needs of the store.
type SweepRows interface {
	Rows
	SweepChats(ctx context.Context, states []orchestrator.WorktreeState, after orchestrator.ChatID, limit int) ([]orchestrator.SweepChat, error)
	Owns(ctx context.Context, chat orchestrator.ChatID) (state orchestrator.WorktreeState, spare bool, err error)
	Repos(ctx context.Context) ([]orchestrator.Repo, error)
	Sizes(ctx context.Context) (map[orchestrator.ChatID]orchestrator.TreeSize, error)
	DropChecks(ctx context.Context, before time.Time) (int64, error)

	Clock(ctx context.Context) (c orchestrator.ClockReading, next time.Time, err error)
	PutClock(ctx context.Context, c orchestrator.ClockReading, next time.Time) error
	PutHold(ctx context.Context, h orchestrator.Hold) error
	DropHold(ctx context.Context, name string) error
	Holds(ctx context.Context) ([]orchestrator.Hold, error)

	BeginSweep(ctx context.Context, s orchestrator.Sweep) (int64, error)
	EndSweep(ctx context.Context, s orchestrator.Sweep) error
	LastSweep(ctx context.Context) (*orchestrator.Sweep, error)
	SweepTotals(ctx context.Context) (archived int, freed int64, err error)
	AddSweepSteps(ctx context.Context, steps []orchestrator.SweepStep) error
	SweepSteps(ctx context.Context, chat orchestrator.ChatID, limit int) ([]orchestrator.SweepStep, error)
}

// Sweeper implements [orchestrator.Reaper]. All fields are needed but Histories
// and step. Its methods may be called concurrently, also in several processes: one
// of them sweeps.
type Sweeper struct {
	Archiver  *Archiver
	Trees     SweepTrees
	Rows      SweepRows
	Locks     orchestrator.Locks
	Clock     Clock
	Rules     Rules
	Histories string // directory of what agents were told in files; "" if there is none

	step func(name string) // told before each step, by tests
}

var _ orchestrator.Reaper = (*Sweeper)(nil)

// lease names the lock of who sweeps.
const lease = "reaper"

// batch is how many worktrees are judged at once: so many locks are held then.
const batch = 128

// Sweep implements [orchestrator.Reaper]. What cannot be done about one thing is
// on record, and keeps nothing else from being done.
func (s *Sweeper) Sweep(ctx context.Context, keeper orchestrator.Keeper, req orchestrator.SweepRequest) (orchestrator.Sweep, error) {
	release, free, err := s.Locks.TryLock(lease)
	if err != nil {
		return orchestrator.Sweep{}, err
	}
	if !free {
		return orchestrator.Sweep{}, orchestrator.Errorf(orchestrator.CodeBusy, "another sweep is under way").WithHint("boo reaper status")
	}
	defer release()
	p, err := s.begin(ctx, keeper, req)
	if err != nil {
		return orchestrator.Sweep{}, err
	}
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"settle", p.settle}, {"chats", p.chats}, {"orphans", p.orphans}, {"repositories", p.repositories},
		{"archives", p.archives}, {"leftovers", p.leftovers}, {"trash", p.trash},
	} {
		s.before(phase.name)
		if err = phase.do(ctx); err != nil {
			p.fail("", "", err)
		}
		if err = ctx.Err(); err != nil {
			break
		}
	}
	return p.end(ctx, err)
}

func (s *Sweeper) before(step string) {
	if s.step != nil {
		s.step(step)
	}
}

// pass is one sweep. One goroutine uses it.
type pass struct {
	*Sweeper
	keeper orchestrator.Keeper
	req    orchestrator.SweepRequest
	now    orchestrator.ClockReading
	sweep  orchestrator.Sweep
	held   map[string]orchestrator.Hold // as of before
	seen   map[string]bool              // of held: it is there still
	owned  map[orchestrator.ChatID]bool // has a row whose worktree may have files
}

// begin reads the clock, and writes down what it says.
func (s *Sweeper) begin(ctx context.Context, keeper orchestrator.Keeper, req orchestrator.SweepRequest) (*pass, error) {
	p := &pass{Sweeper: s, keeper: keeper, req: req, held: map[string]orchestrator.Hold{}, seen: map[string]bool{}, owned: map[orchestrator.ChatID]bool{}}
	now, err := s.Clock.Read()
	if err != nil {
		return nil, err
	}
	last, next, err := s.Rows.Clock(ctx)
	if err != nil {
		return nil, err
	}
	p.now = steadied(last, now)
	p.sweep = orchestrator.Sweep{Started: p.now.Wall, DryRun: req.DryRun, Counts: map[orchestrator.SweepAction]int{}, Steps: []orchestrator.SweepStep{}}
	holds, err := s.Rows.Holds(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range holds {
		p.held[h.Name] = h
	}
	if req.DryRun {
		return p, nil
	}
	if !req.Next.IsZero() {
		next = req.Next
	}
	if err := s.Rows.PutClock(ctx, p.now, next); err != nil {
		return nil, err
	}
	p.sweep.ID, err = s.Rows.BeginSweep(ctx, p.sweep)
	return p, err
}

// note records a decision, before what it says is done.
func (p *pass) note(ctx context.Context, step orchestrator.SweepStep) {
	step.Sweep, step.At = p.sweep.ID, p.now.Wall
	p.sweep.Steps = append(p.sweep.Steps, step)
	p.sweep.Counts[step.Action]++
	p.sweep.Freed += step.Freed
	if p.req.DryRun {
		return
	}
	// Without the log the work goes on: what it does is on record elsewhere.
	_ = p.Rows.AddSweepSteps(context.WithoutCancel(ctx), []orchestrator.SweepStep{step})
}

// fail records what could not be done.
func (p *pass) fail(chat orchestrator.ChatID, path string, err error) {
	if errors.Is(err, context.Canceled) {
		return // the sweep says so itself
	}
	p.note(context.Background(), orchestrator.SweepStep{Action: orchestrator.SweepFail, Chat: chat, Path: path, Reason: err.Error()})
}

// end writes down what the sweep came to.
func (p *pass) end(ctx context.Context, err error) (orchestrator.Sweep, error) {
	if err != nil {
		p.sweep.Error = err.Error()
	}
	if now, readErr := p.Clock.Read(); readErr == nil {
		p.sweep.Ended = now.Wall
	}
	if p.req.DryRun {
		return p.sweep, err
	}
	ctx = context.WithoutCancel(ctx)
	for name := range p.held {
		if !p.seen[name] && err == nil {
			err = p.Rows.DropHold(ctx, name)
		}
	}
	return p.sweep, errors.Join(err, p.Rows.EndSweep(ctx, p.sweep))
}

// settle has what boos that died left be finished or taken back.
func (p *pass) settle(ctx context.Context) error {
	if p.req.DryRun {
		return nil
	}
	done, err := p.keeper.Settle(ctx)
	for _, r := range done {
		p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepSettle, Chat: r.Chat, Reason: r.Message})
	}
	return err
}

// trash removes the bytes of what was archived.
func (p *pass) trash(ctx context.Context) error {
	if p.req.DryRun {
		return nil
	}
	if freed := p.keeper.Clear(ctx); freed > 0 {
		p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepClear, Path: p.Archiver.trash(), Reason: "what was archived is off the disk", Freed: freed})
	}
	return nil
}

// Status implements [orchestrator.Reaper].
func (s *Sweeper) Status(ctx context.Context) (status orchestrator.ReaperStatus, err error) {
	if status.Last, err = s.Rows.LastSweep(ctx); err != nil {
		return status, err
	}
	if _, status.Next, err = s.Rows.Clock(ctx); err != nil {
		return status, err
	}
	if status.Held, err = s.Rows.Holds(ctx); err != nil {
		return status, err
	}
	status.Archived, status.Freed, err = s.Rows.SweepTotals(ctx)
	return status, err
}

// Log implements [orchestrator.Reaper].
func (s *Sweeper) Log(ctx context.Context, chat orchestrator.ChatID, limit int) ([]orchestrator.SweepStep, error) {
	return s.Rows.SweepSteps(ctx, chat, limit)
}
