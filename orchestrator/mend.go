package orchestrator

import (
	"context"
	"path/filepath"
	"strings"
)

// ensureWorktree makes sure that the chat's worktree is there and whole: it is
// made if it was not yet, and made again or mended whatever became of it. What
// had to be done is told to those who follow the turn, or the chat if t has no
// id. environ is the person's, for what has to be fetched.
func (e *Engine) ensureWorktree(ctx context.Context, t Turn, environ []string) (Worktree, error) {
	wt, err := e.Store.Worktree(ctx, t.Chat)
	if err != nil {
		return wt, err
	}
	if wt.State == WorktreeClosing { // an archive was cut off
		if err := e.Archives.Settle(ctx, wt); err != nil {
			return wt, err
		}
		if wt, err = e.Store.Worktree(ctx, t.Chat); err != nil {
			return wt, err
		}
	}
	if wt.State == WorktreeArchived {
		if err := e.room(ctx); err != nil {
			return wt, err
		}
		if err := e.Archives.Restore(ctx, wt); err != nil {
			return wt, err
		}
		e.say(ctx, t, "the worktree was archived; it is back at "+string(wt.Dir))
		if wt, err = e.Store.Worktree(ctx, t.Chat); err != nil {
			return wt, err
		}
	}
	switch wt.State {
	case WorktreeCreating:
		if err := e.Trees.Create(ctx, wt); err != nil {
			return wt, err
		}
	case WorktreeActive, WorktreeLost:
		done, err := e.Trees.Repair(ctx, wt)
		for _, what := range done {
			e.say(ctx, t, what)
		}
		if err != nil {
			kept := "; its snapshots are kept"
			if CodeOf(err) == CodeNotFound { // they are where the repository is
				kept = ""
			}
			return wt, Errorf(CodeOf(err), "%w%s", err, kept).WithHint("%s", orHint(err, "boo worktree repair "+string(t.Chat)))
		}
	default:
		return wt, Errorf(CodeInvalid, "the worktree of chat %s is %s", t.Chat, wt.State).WithHint("boo chat send --new …")
	}
	if err := e.identify(ctx, &wt); err != nil || wt.State == WorktreeActive {
		return wt, err
	}
	if err := e.furnish(ctx, t, wt, environ); err != nil {
		return wt, err
	}
	if err := e.Store.MoveWorktree(ctx, t.Chat, []WorktreeState{wt.State}, WorktreeActive, ""); err != nil {
		return wt, err
	}
	wt.State, wt.Reason = WorktreeActive, ""
	return wt, nil
}

// identify has the row say which directory the worktree is. Before that one goes
// it is told by it from any other that was put in its place.
func (e *Engine) identify(ctx context.Context, wt *Worktree) error {
	now, err := e.Trees.Identity(*wt)
	if err != nil || now == wt.Identity {
		return err
	}
	wt.Identity = now
	return e.Store.SetIdentity(ctx, wt.Chat, now)
}

// orHint is the hint of an error, or another one where it has none.
func orHint(err error, otherwise string) string {
	if hint := HintOf(err); hint != "" {
		return hint
	}
	return otherwise
}

// say tells those who follow a turn, and its log, something of boo's own.
func (e *Engine) say(ctx context.Context, t Turn, text string) {
	_, _ = e.Store.AppendEvents(ctx, t.Chat, []Event{{
		Chat: t.Chat, Turn: t.ID, At: e.Now(), Kind: EventNotice, Agent: t.Agent, Text: text,
	}}) // the turn goes on without it
	e.announce(t.Chat)
}

// sayOddities tells in what ways an agent has left its worktree other than it
// found it, beside the files.
func (e *Engine) sayOddities(ctx context.Context, wt Worktree, t Turn) {
	for _, what := range e.Trees.Oddities(ctx, wt) {
		e.say(ctx, t, what)
	}
}

// recognise finds out that a repository which boo does not know is one that was
// moved: it holds chats whose own repository is not where it was any more. The
// rows follow it; the links of its worktrees are mended as each is used. A copy
// of a repository that is still there stays unknown.
func (e *Engine) recognise(ctx context.Context, c Checkout) error {
	_, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if err == nil || CodeOf(err) != CodeNotFound {
		return err
	}
	chats, err := e.Trees.Chats(ctx, c.CommonDir)
	if err != nil {
		return err
	}
	for _, id := range chats {
		chat, err := e.Store.Chat(ctx, id)
		if CodeOf(err) == CodeNotFound && err != nil {
			continue // of another boo's
		}
		if err != nil {
			return err
		}
		repo, err := e.Store.Repo(ctx, chat.Repo)
		if err != nil {
			return err
		}
		there, err := e.Trees.Chats(ctx, repo.CommonDir)
		if err != nil || len(there) > 0 {
			return err
		}
		return e.Store.MoveRepo(ctx, repo, c.CommonDir, movedRoot(repo, c.CommonDir))
	}
	return nil
}

// movedRoot is where the main checkout of a repository is now, as far as that
// can be told from where its git directory is.
func movedRoot(r Repo, to GitDir) CheckoutDir {
	if filepath.Join(string(r.Root), ".git") != string(r.CommonDir) || filepath.Base(string(to)) != ".git" {
		return r.Root
	}
	return CheckoutDir(filepath.Dir(string(to)))
}

// Repair mends worktrees; see [Service.Repair].
func (e *Engine) Repair(ctx context.Context, ref ChatRef) ([]WorktreeRepair, error) {
	chats, err := e.repairable(ctx, ref)
	if err != nil {
		return nil, err
	}
	var repairs []WorktreeRepair
	for _, chat := range chats {
		r, err := e.repair(ctx, chat.Worktree)
		if err != nil {
			return repairs, err
		}
		repairs = append(repairs, r)
	}
	return repairs, nil
}

// repairable lists the chats that ref means: one, or those of the repository.
func (e *Engine) repairable(ctx context.Context, ref ChatRef) ([]ChatSummary, error) {
	if ref.Prefix == "" {
		return e.Chats(ctx, ChatsRequest{Dir: ref.Dir})
	}
	chat, err := e.resolve(ctx, ref)
	return []ChatSummary{chat}, err
}

func (e *Engine) repair(ctx context.Context, wt Worktree) (WorktreeRepair, error) {
	r := WorktreeRepair{Chat: wt.Chat, Dir: wt.Dir, Done: []string{}}
	if wt.State != WorktreeActive && wt.State != WorktreeLost {
		r.Left = "it is " + string(wt.State)
		return r, nil
	}
	release, err := e.seize(ctx, wt.Chat)
	if CodeOf(err) == CodeBusy {
		r.Left, r.Hint = strings.TrimSpace(err.Error()), HintOf(err)
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer release()
	done, err := e.Trees.Repair(ctx, wt)
	r.Done = append(r.Done, done...)
	if err != nil && CodeOf(err) != CodeInternal {
		r.Left = strings.TrimSpace(err.Error())
		r.Hint = HintOf(err)
		return r, nil
	}
	if err == nil {
		err = e.identify(ctx, &wt)
	}
	if err == nil && wt.State == WorktreeLost {
		err = e.Store.MoveWorktree(ctx, wt.Chat, []WorktreeState{WorktreeLost}, WorktreeActive, "")
	}
	return r, err
}

// WorktreeRepair is what [Service.Repair] did to one worktree.
type WorktreeRepair struct {
	Chat ChatID      `json:"chat"`
	Dir  WorktreeDir `json:"dir"`
	Done []string    `json:"done"`           // nothing where all was well
	Left string      `json:"left,omitempty"` // why it could not be mended
	Hint string      `json:"hint,omitempty"` // the command that helps then
}
