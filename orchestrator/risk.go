package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// RiskKind says what could be lost, or be disturbed, if a worktree went.
type RiskKind string

// The kinds of risk.
const (
	RiskPending    RiskKind = "pending"    // changes that were neither applied nor rejected
	RiskDirty      RiskKind = "dirty"      // edits that no snapshot has
	RiskUntracked  RiskKind = "untracked"  // new files that no snapshot has
	RiskUnrecorded RiskKind = "unrecorded" // files that no snapshot can have
	RiskStash      RiskKind = "stash"      // stashed in that worktree
	RiskUnpushed   RiskKind = "unpushed"   // commits on no branch, here or at a remote, nor their content
	RiskOperation  RiskKind = "operation"  // a merge, rebase or the like is half done
	RiskLocked     RiskKind = "locked"     // somebody else has locked it
	RiskProcess    RiskKind = "process"    // a process, or a shell, is in it
	RiskTurn       RiskKind = "turn"       // a turn runs or waits
	RiskPermission RiskKind = "permission" // a request for permission is open
	RiskUnknown    RiskKind = "unknown"    // something could not be found out
)

// Risk is one reason to keep a worktree.
type Risk struct {
	Kind   RiskKind  `json:"kind"`
	Detail string    `json:"detail"`          // in words for people
	Count  int       `json:"count,omitempty"` // of changes, files, commits
	Since  time.Time `json:"since,omitzero"`  // of the newest of them; zero if that is not known
}

// RiskState sums up a verdict.
type RiskState string

// The verdicts.
const (
	RiskClean      RiskState = "clean"
	RiskAtRisk     RiskState = "at_risk"
	RiskUnverified RiskState = "unknown" // nothing is known to be at risk, but not all could be found out
)

// RiskVerdict says whether a chat's worktree can go without anything being lost
// or disturbed. Fields of its JSON form are added over time, never renamed or
// removed.
type RiskVerdict struct {
	Chat  ChatID      `json:"chat"`
	Dir   WorktreeDir `json:"dir"`
	State RiskState   `json:"verdict"`
	Risks []Risk      `json:"risks"`
}

// judged returns the verdict on a worktree with those risks.
func judged(wt Worktree, risks []Risk) RiskVerdict {
	v := RiskVerdict{Chat: wt.Chat, Dir: wt.Dir, State: RiskClean, Risks: risks}
	for _, r := range risks {
		switch {
		case r.Kind != RiskUnknown:
			v.State = RiskAtRisk
		case v.State == RiskClean:
			v.State = RiskUnverified
		}
	}
	if v.Risks == nil {
		v.Risks = []Risk{}
	}
	return v
}

// TreeRisks finds out what git knows of the risks of worktrees.
type TreeRisks interface {
	// Risks tells, without writing anything, what of worktrees of one repository
	// would be lost or disturbed if they went: edits that no snapshot has,
	// commits, stashes, operations, locks. What cannot be found out is a
	// RiskUnknown. settled says whose chat's lock the caller holds: in the others
	// files are not looked at.
	Risks(ctx context.Context, common GitDir, wts []Worktree, settled func(ChatID) bool) map[ChatID][]Risk
}

// Inhabitant is a process that works in a directory.
type Inhabitant struct {
	PID  int
	Name string
	Tag  string // of the run that it belongs to; "" if it is none of boo's
}

func (p Inhabitant) words() string { return fmt.Sprintf("process %d (%s) is in it", p.PID, p.Name) }

// Risk judges worktrees; see [Service.Risk].
func (e *Engine) Risk(ctx context.Context, ref ChatRef) ([]RiskVerdict, error) {
	chats, err := e.repairable(ctx, ref)
	if err != nil {
		return nil, err
	}
	var wts []Worktree
	held := map[ChatID]bool{}
	for _, c := range chats {
		wt, err := e.Store.Worktree(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		release, free, err := e.Locks.TryLock(ChatLock(c.ID))
		if err == nil && free {
			defer release()
			held[c.ID] = true
		}
		wts = append(wts, wt)
	}
	return e.judge(ctx, wts, held), nil
}

// judge is the one place where it is decided what is at risk. All worktrees are
// of one repository; held says which chats' locks the caller holds.
func (e *Engine) judge(ctx context.Context, wts []Worktree, held map[ChatID]bool) []RiskVerdict {
	there := slices.DeleteFunc(slices.Clone(wts), func(wt Worktree) bool { return !wt.State.onDisk() })
	var ofTrees map[ChatID][]Risk
	if len(there) > 0 {
		ofTrees = e.Trees.Risks(ctx, there[0].CommonDir, there, func(chat ChatID) bool { return held[chat] })
	}
	verdicts := make([]RiskVerdict, 0, len(wts))
	for _, wt := range wts {
		risks := e.risksOfChat(ctx, wt)
		if wt.State.onDisk() {
			risks = append(risks, ofTrees[wt.Chat]...)
			risks = append(risks, e.inhabited(ctx, wt)...)
		}
		verdicts = append(verdicts, judged(wt, risks))
	}
	return verdicts
}

// onDisk reports whether a worktree in that state has files to be lost.
func (s WorktreeState) onDisk() bool {
	return s != WorktreeCreating && s != WorktreeArchived && s != WorktreePurged
}

// risksOfChat are those that the store knows of.
func (e *Engine) risksOfChat(ctx context.Context, wt Worktree) (risks []Risk) {
	changes, err := e.Store.Changes(ctx, ChangeQuery{Chat: wt.Chat, States: []ChangeState{ChangePending, ChangeConflict}})
	if err != nil {
		risks = append(risks, unknown("the pending changes", err))
	}
	if n := len(changes); n > 0 {
		newest := slices.MaxFunc(changes, func(a, b Change) int { return a.CreatedAt.Compare(b.CreatedAt) })
		risks = append(risks, Risk{Kind: RiskPending, Detail: counted(n, "pending change"), Count: n, Since: newest.CreatedAt})
	}
	turns, err := e.Store.Turns(ctx, wt.Chat)
	if err != nil {
		risks = append(risks, unknown("the turns", err))
	}
	for _, t := range turns {
		if !t.State.Terminal() {
			risks = append(risks, Risk{Kind: RiskTurn, Detail: "turn " + string(t.ID) + " of " + string(t.Agent) + " is " + string(t.State), Count: 1, Since: t.Sent})
		}
	}
	open, err := e.Store.OpenPermissions(ctx, wt.Chat)
	if err != nil {
		risks = append(risks, unknown("the requests for permission", err))
	}
	for _, p := range open {
		risks = append(risks, Risk{Kind: RiskPermission, Detail: "request " + string(p.ID) + " waits for an answer", Count: 1, Since: p.Asked})
	}
	return risks
}

// inhabited tells which processes are in a worktree, but for those of the
// chat's own agents: they are kept warm, and end before it goes.
func (e *Engine) inhabited(ctx context.Context, wt Worktree) (risks []Risk) {
	own, err := e.Store.Processes(ctx)
	if err != nil {
		return []Risk{unknown("its processes", err)}
	}
	all, err := e.Processes.Within(string(wt.Dir))
	if err != nil {
		return []Risk{unknown("the processes in it", err)}
	}
	for _, p := range all {
		if p.Tag != "" && slices.ContainsFunc(own, func(q Process) bool { return q.Tag == p.Tag }) {
			continue
		}
		risks = append(risks, Risk{Kind: RiskProcess, Detail: p.words(), Count: 1})
	}
	return risks
}

func unknown(what string, err error) Risk {
	return Risk{Kind: RiskUnknown, Detail: fmt.Sprintf("%s could not be looked at: %v", what, err)}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
