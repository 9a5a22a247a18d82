package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	RiskHomeless   RiskKind = "homeless"   // its repository is gone, so nothing can be compared or kept
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
	// Used is the newest time on its files, if that was found out by the way.
	Used time.Time `json:"-"`
}

// judged returns the verdict on a worktree with those risks.
func judged(wt Worktree, risks []Risk) RiskVerdict {
	v := RiskVerdict{Chat: wt.Chat, Dir: wt.Dir, State: RiskClean, Risks: risks}
	for _, r := range risks {
		switch {
		case r.Kind != RiskUnknown && r.Kind != RiskHomeless:
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
	Risks(ctx context.Context, common GitDir, wts []Worktree, settled func(ChatID) bool) map[ChatID]TreeLook
	// KeptRisks tells of worktrees of one repository of which only snapshots are
	// left what would be lost for good with these.
	KeptRisks(ctx context.Context, wts []Worktree) (map[ChatID][]Risk, error)
}

// TreeLook is what was found out about one worktree.
type TreeLook struct {
	Risks []Risk
	// Used is the newest time on its files, its index and its HEAD; zero where not
	// all of them were looked at.
	Used time.Time
}

// Inhabitant is a process that works in a directory.
type Inhabitant struct {
	PID  int
	Name string
	Tag  string // of the run that it belongs to; "" if it is none of boo's
	// Places are its working directory and the files that it has open, as far as
	// they are in the directory that was asked about.
	Places []string
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
		e.linger(ctx, c.ID)
		wts = append(wts, wt)
	}
	for _, wt := range wts {
		release, free, err := e.Locks.TryLock(ChatLock(wt.Chat))
		if err == nil && free {
			defer release()
			held[wt.Chat] = true
		}
	}
	return e.judge(ctx, wts, held), nil
}

// judge is the one place where it is decided what is at risk. All worktrees are
// of one repository; held says which chats' locks the caller holds.
func (e *Engine) judge(ctx context.Context, wts []Worktree, held map[ChatID]bool) []RiskVerdict {
	if len(wts) == 0 {
		return nil
	}
	there := slices.DeleteFunc(slices.Clone(wts), func(wt Worktree) bool { return !wt.State.onDisk() })
	var ofTrees map[ChatID]TreeLook
	if len(there) > 0 {
		ofTrees = e.Trees.Risks(ctx, there[0].CommonDir, there, func(chat ChatID) bool { return held[chat] })
	}
	of := e.risksOfChats(ctx, wts)
	inside := e.inhabited(ctx, there)
	verdicts := make([]RiskVerdict, 0, len(wts))
	for _, wt := range wts {
		v := judged(wt, slices.Concat(of[wt.Chat], ofTrees[wt.Chat].Risks, inside[wt.Chat]))
		v.Used = ofTrees[wt.Chat].Used
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// onDisk reports whether a worktree in that state has files to be lost.
func (s WorktreeState) onDisk() bool {
	return s != WorktreeCreating && s != WorktreeArchived && s != WorktreePurged
}

// risksOfChats are those that the store knows of. What concerns turns is asked
// about all chats at once: few are open as a rule.
func (e *Engine) risksOfChats(ctx context.Context, wts []Worktree) map[ChatID][]Risk {
	risks := map[ChatID][]Risk{}
	add := func(chat ChatID, r Risk) { risks[chat] = append(risks[chat], r) }
	every := func(what string, err error) {
		for _, wt := range wts {
			if err != nil {
				add(wt.Chat, unknown(what, err))
			}
		}
	}
	q := ChangeQuery{Repo: wts[0].Repo, States: []ChangeState{ChangePending, ChangeConflict}}
	if len(wts) == 1 {
		q.Chat = wts[0].Chat
	}
	changes, err := e.Store.Changes(ctx, q)
	every("the pending changes", err)
	for chat, r := range pendingRisks(changes) {
		add(chat, r)
	}
	turns, err := e.Store.OpenTurns(ctx)
	every("the turns", err)
	for _, t := range turns {
		add(t.Chat, Risk{Kind: RiskTurn, Detail: "turn " + string(t.ID) + " of " + string(t.Agent) + " is " + string(t.State), Count: 1, Since: t.Sent})
	}
	open, err := e.Store.OpenPermissions(ctx, q.Chat)
	every("the requests for permission", err)
	for _, p := range open {
		add(p.Chat, Risk{Kind: RiskPermission, Detail: "request " + string(p.ID) + " waits for an answer", Count: 1, Since: p.Asked})
	}
	return risks
}

func pendingRisks(changes []Change) map[ChatID]Risk {
	risks := map[ChatID]Risk{}
	for _, c := range changes {
		r := risks[c.Chat]
		r.Count++
		if c.CreatedAt.After(r.Since) {
			r.Since = c.CreatedAt
		}
		r.Kind, r.Detail = RiskPending, counted(r.Count, "pending change")
		risks[c.Chat] = r
	}
	return risks
}

// inhabited tells which processes are in worktrees, but for those of the chats'
// own agents: they are kept warm, and end before it goes.
func (e *Engine) inhabited(ctx context.Context, wts []Worktree) map[ChatID][]Risk {
	risks := map[ChatID][]Risk{}
	if len(wts) == 0 {
		return risks
	}
	dir := e.Worktrees // one look for all
	if len(wts) == 1 {
		dir = string(wts[0].Dir)
	}
	own, err := e.Store.Processes(ctx)
	var all []Inhabitant
	if err == nil {
		all, err = e.Processes.Within(dir)
	}
	for _, wt := range wts {
		if err != nil {
			risks[wt.Chat] = append(risks[wt.Chat], unknown("the processes in it", err))
		}
		for _, p := range all {
			if p.Tag != "" && slices.ContainsFunc(own, func(q Process) bool { return q.Tag == p.Tag }) {
				continue
			}
			if slices.ContainsFunc(p.Places, func(at string) bool { return at == string(wt.Dir) || strings.HasPrefix(at, string(wt.Dir)+"/") }) {
				risks[wt.Chat] = append(risks[wt.Chat], Risk{Kind: RiskProcess, Detail: p.words(), Count: 1})
			}
		}
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
