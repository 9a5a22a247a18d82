package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Archives takes worktrees off the disk and brings them back. Package reaper
// implements it. The caller holds the chat's lock, but for Settle.
type Archives interface {
	// Archive takes a worktree off the disk, all of whose files the newest snapshot
	// has. On error it stands where it stood, or is brought back by Settle.
	Archive(ctx context.Context, wt Worktree) (Archived, error)
	// Restore makes an archived worktree again, at the same place, and its row
	// active. Done in part before, it goes on.
	Restore(ctx context.Context, wt Worktree) error
	// Settle finishes or takes back what was cut off of one chat.
	Settle(ctx context.Context, wt Worktree) error
	// Open lists the chats of which something was cut off, or is not cleared away
	// yet.
	Open() ([]ChatID, error)
	// Clear removes from the disk, without haste, what was archived, and returns
	// how many bytes that freed. It ends with ctx, and is gone on with by the next
	// one.
	Clear(ctx context.Context) (freed int64)
}

// Archived says what became of an archived worktree.
type Archived struct {
	Chat ChatID      `json:"chat"`
	Dir  WorktreeDir `json:"dir"`
	// Verdict is that at the moment of removal.
	Verdict RiskVerdict `json:"risk"`
	// Left are ignored files and directories that were not kept: a restore does
	// not bring them back.
	Left []string `json:"left,omitempty"`
	// Warnings say what did not work, and did not keep the worktree.
	Warnings []string `json:"warnings,omitempty"`
	// Already says that it was archived before.
	Already bool `json:"already,omitempty"`
}

// consented are the risks that an archive may be forced over: what is at stake
// is kept by refs, and comes back with a restore.
var consented = []RiskKind{RiskPending, RiskDirty, RiskUntracked, RiskStash, RiskUnpushed}

// Archive archives a chat's worktree; see [Service.Archive].
func (e *Engine) Archive(ctx context.Context, ref ChatRef, force bool) (Archived, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return Archived{}, err
	}
	e.linger(ctx, chat.ID)
	release, free, err := e.Locks.TryLock(ChatLock(chat.ID))
	if err != nil {
		return Archived{}, err
	}
	if !free {
		return Archived{}, Errorf(CodeBusy, "somebody works in the worktree of chat %s; it was left alone", chat.ID).WithHint("boo chat wait %s", chat.ID)
	}
	defer release()
	done, err := e.archive(ctx, chat.ID, consent{given: force, ask: "boo worktree archive --force"})
	if err == nil {
		e.clearArchived()
	}
	return done, err
}

// consent is a person's to an archive over what is at risk; ask is the command
// that gives it.
type consent struct {
	given bool
	ask   string
	// abandons says that it holds for a worktree without a repository too, of which
	// nothing can be kept: the chat ends, and the files stay where they are.
	abandons bool
}

// archive carries an archive out; the chat's lock is held. The verdict is taken
// here, at the moment of removal.
func (e *Engine) archive(ctx context.Context, chat ChatID, force consent) (Archived, error) {
	wt, err := e.Store.Worktree(ctx, chat)
	if err != nil {
		return Archived{}, err
	}
	done := Archived{Chat: chat, Dir: wt.Dir}
	switch wt.State {
	case WorktreeArchived:
		done.Already = true
		return done, nil
	case WorktreeActive:
	case WorktreeCreating:
		return done, Errorf(CodeInvalid, "chat %s has no worktree yet: its first turn makes it", chat).WithHint("boo chat send -c %s …", chat)
	default:
		return done, Errorf(CodeInvalid, "the worktree of chat %s is %s; it was left alone", chat, wt.State).WithHint("boo worktree repair %s", chat)
	}
	if err := e.Agents.Evict(ctx, chat, ""); err != nil {
		return done, err
	}
	// What a watcher saw of the last turn is made sure of while the files are there.
	if err := e.confirmLeft(ctx, chat); err != nil {
		return done, err
	}
	done.Verdict = e.judge(ctx, []Worktree{wt}, map[ChatID]bool{chat: true})[0]
	if homeless(done.Verdict) && force.given && force.abandons {
		return done, e.abandon(ctx, wt, &done)
	}
	if err := refused(done.Verdict, force); err != nil {
		return done, err
	}
	if err := e.dismantle(ctx, wt, &done, force); err != nil {
		return done, err
	}
	if done.Verdict.State != RiskClean {
		// What nobody has recorded yet is pending from now on.
		if err := e.Pending.CatchUp(ctx, chat); err != nil {
			return done, err
		}
	}
	archived, err := e.Archives.Archive(ctx, wt)
	archived.Verdict, archived.Warnings = done.Verdict, done.Warnings
	if err == nil {
		e.unwatch(chat)
	}
	if err == nil && wt.Setup != "" {
		// What it made is ignored as a rule, and does not come back.
		err = e.Store.SetSetup(context.WithoutCancel(ctx), chat, "")
	}
	return archived, err
}

func homeless(v RiskVerdict) bool {
	return slices.ContainsFunc(v.Risks, func(r Risk) bool { return r.Kind == RiskHomeless })
}

// abandon gives up a worktree whose repository is gone. Its files are not touched:
// they may be all that is left. If the repository comes back, a repair takes it up
// again.
func (e *Engine) abandon(ctx context.Context, wt Worktree, done *Archived) error {
	err := e.Store.MoveWorktree(ctx, wt.Chat, []WorktreeState{WorktreeActive}, WorktreeLost, "its repository is gone")
	if err == nil {
		e.unwatch(wt.Chat)
		done.Warnings = append(done.Warnings, "its repository is gone, so nothing of it was archived; its files stay until you remove them: "+string(wt.Dir))
	}
	return err
}

// refused is the error of an archive over a verdict; nil if it may go on.
func refused(v RiskVerdict, force consent) error {
	var reasons, hard []string
	var hint string
	for _, r := range v.Risks {
		reasons = append(reasons, r.Detail)
		if !slices.Contains(consented, r.Kind) {
			hard, hint = append(hard, r.Detail), cmp.Or(hint, wayOn(v, r.Kind))
		}
	}
	switch {
	case len(reasons) == 0:
		return nil
	case homeless(v):
		return Errorf(CodeUnverified, "the worktree of chat %s is kept: %s", v.Chat, strings.Join(reasons, "; ")).WithHint("%s", wayOn(v, RiskHomeless))
	case len(hard) > 0 && v.State == RiskUnverified:
		return Errorf(CodeUnverified, "the worktree of chat %s is kept: %s", v.Chat, strings.Join(reasons, "; ")).WithHint("%s", hint)
	case len(hard) > 0:
		return Errorf(CodeAtRisk, "the worktree of chat %s is kept, and cannot be forced away: %s", v.Chat, strings.Join(hard, "; ")).
			WithHint("%s", hint)
	case force.given:
		return nil
	}
	return Errorf(CodeAtRisk, "the worktree of chat %s is kept: %s", v.Chat, strings.Join(reasons, "; ")).
		WithHint("boo pending apply -c %s, or boo pending reject -c %s, or %s %s, which keeps all of it in snapshots", v.Chat, v.Chat, force.ask, v.Chat)
}

// wayOn is what ends a risk that nobody can consent to.
func wayOn(v RiskVerdict, kind RiskKind) string {
	switch kind {
	case RiskUnrecorded:
		return "move it out of " + string(v.Dir) + ", or remove it, and run the command again"
	case RiskOperation:
		return fmt.Sprintf("boo chat shell %s, and there: git status, which says how to end or to abort it", v.Chat)
	case RiskLocked:
		return "git worktree unlock " + string(v.Dir)
	case RiskTurn:
		return "boo chat stop --all " + string(v.Chat)
	case RiskPermission:
		return "boo permit ls"
	case RiskHomeless:
		return fmt.Sprintf("in the repository, where it is now: boo worktree repair; if it is gone for good: boo chat rm --force %s, which leaves the files in %s", v.Chat, v.Dir)
	case RiskUnknown: // most often the worktree is not what it was
		return fmt.Sprintf("boo worktree repair %s, and then boo worktree risk %s", v.Chat, v.Chat)
	}
	return "boo worktree risk " + string(v.Chat)
}

// Unarchive brings an archived worktree back; see [Service.Unarchive].
func (e *Engine) Unarchive(ctx context.Context, ref ChatRef) (Worktree, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return Worktree{}, err
	}
	release, err := e.Locks.Lock(ctx, ChatLock(chat.ID), func() {})
	if err != nil {
		return Worktree{}, err
	}
	defer release()
	wt, err := e.Store.Worktree(ctx, chat.ID)
	if err != nil || wt.State != WorktreeArchived {
		return wt, err
	}
	if err := e.Archives.Restore(ctx, wt); err != nil {
		return wt, err
	}
	return e.Store.Worktree(ctx, chat.ID)
}

// recoverArchives settles archives that were cut off.
func (e *Engine) recoverArchives(ctx context.Context) error {
	open, err := e.Archives.Open()
	if err != nil || len(open) == 0 {
		return err
	}
	for _, chat := range open {
		// Other chats must not wait for one that cannot be settled; whoever uses
		// that one is told.
		_ = e.settleArchive(ctx, chat)
	}
	e.clearArchived()
	return nil
}

func (e *Engine) settleArchive(ctx context.Context, chat ChatID) error {
	release, free, err := e.Locks.TryLock(ChatLock(chat))
	if err != nil || !free {
		return err
	}
	defer release()
	wt, err := e.Store.Worktree(ctx, chat)
	if err != nil && CodeOf(err) == CodeNotFound {
		return nil // of another boo's
	}
	if err != nil {
		return err
	}
	return e.Archives.Settle(ctx, wt)
}

// clearArchived removes what was archived, in the background. The engine cuts it
// off, and waits for it, when it closes.
func (e *Engine) clearArchived() {
	e.aside(func(ctx context.Context) { keeper{e}.Clear(ctx) })
}

// aside does what can be cut off anywhere in the background, until the engine
// closes. It reports false, and does nothing, where that has been.
func (e *Engine) aside(do func(ctx context.Context)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		do(e.life)
	}()
	return true
}

// noArchives stands where nothing is archived.
type noArchives struct{}

func (noArchives) Archive(_ context.Context, wt Worktree) (Archived, error) {
	return Archived{Chat: wt.Chat, Dir: wt.Dir}, Errorf(CodeInvalid, "nothing is archived here")
}
func (noArchives) Restore(context.Context, Worktree) error {
	return Errorf(CodeInvalid, "nothing is archived here")
}
func (noArchives) Settle(context.Context, Worktree) error { return nil }
func (noArchives) Open() ([]ChatID, error)                { return nil, nil }
func (noArchives) Clear(context.Context) int64            { return 0 }
