package reaper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"boo/orchestrator"
)

// Trees is what the reaper needs of git.
type Trees interface {
	Verify(ctx context.Context, wt orchestrator.Worktree) error
	// SameTree reports nil if the directory is the one that the row tells of.
	SameTree(wt orchestrator.Worktree) error
	Identity(wt orchestrator.Worktree) (string, error)
	Keep(ctx context.Context, wt orchestrator.Worktree, at orchestrator.WorktreeDir) (left []string, err error)
	Unregister(ctx context.Context, wt orchestrator.Worktree) error
	Restore(ctx context.Context, wt orchestrator.Worktree) error
	Unkeep(ctx context.Context, wt orchestrator.Worktree) error
}

// Rows is what it needs of the store.
type Rows interface {
	MoveWorktree(ctx context.Context, chat orchestrator.ChatID, from []orchestrator.WorktreeState, to orchestrator.WorktreeState, reason string) error
	SetIdentity(ctx context.Context, chat orchestrator.ChatID, identity string) error
}

// Processes tells who works in a directory.
type Processes interface {
	Within(dir string) ([]orchestrator.Inhabitant, error)
}

// Archiver archives and restores. All fields are needed but step. Its methods
// may be called concurrently for different chats.
type Archiver struct {
	Root      string // directory of boo's in which all worktrees are, absolute
	Trees     Trees
	Rows      Rows
	Processes Processes

	step func(name string) // told before each step, by tests
}

var _ orchestrator.Archives = (*Archiver)(nil)

// rowless archives what no row is of.
func (a *Archiver) rowless() *Archiver {
	b := *a
	b.Rows = noRows{}
	return &b
}

type noRows struct{}

func (noRows) MoveWorktree(context.Context, orchestrator.ChatID, []orchestrator.WorktreeState, orchestrator.WorktreeState, string) error {
	return nil
}

func (noRows) SetIdentity(context.Context, orchestrator.ChatID, string) error { return nil }

func (a *Archiver) before(step string) {
	if a.step != nil {
		a.step(step)
	}
}

func (a *Archiver) trash() string { return filepath.Join(a.Root, ".trash") }

// plan is the directory that says that a chat's worktree is on its way, and
// holds it.
func (a *Archiver) plan(chat orchestrator.ChatID) string {
	return filepath.Join(a.trash(), string(chat))
}

func (a *Archiver) tree(chat orchestrator.ChatID) orchestrator.WorktreeDir {
	return orchestrator.WorktreeDir(filepath.Join(a.plan(chat), "tree"))
}

// Archive implements [orchestrator.Archives].
func (a *Archiver) Archive(ctx context.Context, wt orchestrator.Worktree) (orchestrator.Archived, error) {
	done := orchestrator.Archived{Chat: wt.Chat, Dir: wt.Dir}
	if err := a.ours(ctx, wt); err != nil {
		return done, err
	}
	a.before("plan")
	if err := os.MkdirAll(a.plan(wt.Chat), 0o700); err != nil {
		return done, fmt.Errorf("plan the archive of chat %s: %w", wt.Chat, err)
	}
	if err := errors.Join(syncDir(a.trash()), syncDir(a.Root)); err != nil {
		return done, err
	}
	a.before("closing")
	if err := a.Rows.MoveWorktree(ctx, wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeActive}, orchestrator.WorktreeClosing, ""); err != nil {
		return done, errors.Join(err, os.Remove(a.plan(wt.Chat)))
	}
	left, err := a.remove(ctx, wt)
	if err != nil {
		// Who called may be gone; the worktree comes back all the same.
		wt.State = orchestrator.WorktreeClosing
		return done, errors.Join(err, a.takeBack(context.WithoutCancel(ctx), wt))
	}
	done.Left = left
	a.before("finish")
	return done, a.finish(ctx, wt)
}

// remove takes the worktree away and makes the row archived, which decides it.
func (a *Archiver) remove(ctx context.Context, wt orchestrator.Worktree) (left []string, err error) {
	at := a.tree(wt.Chat)
	if _, err := os.Lstat(string(at)); !errors.Is(err, fs.ErrNotExist) {
		return nil, orchestrator.Errorf(orchestrator.CodeConflict, "something stands at %s; nothing was archived", at)
	}
	a.before("rename")
	if err := os.Rename(string(wt.Dir), string(at)); err != nil {
		return nil, fmt.Errorf("move the worktree of chat %s: %w", wt.Chat, err)
	}
	if err := errors.Join(syncDir(a.plan(wt.Chat)), syncDir(filepath.Dir(string(wt.Dir)))); err != nil {
		return nil, err
	}
	// Nobody finds it by its name any more: who is not in it now stays out.
	a.before("look")
	if err := a.deserted(string(at)); err != nil {
		return nil, err
	}
	a.before("keep")
	if left, err = a.Trees.Keep(ctx, wt, at); err != nil {
		return nil, err
	}
	a.before("archived")
	return left, a.Rows.MoveWorktree(ctx, wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeClosing}, orchestrator.WorktreeArchived, "")
}

// deserted reports nil if no process works in dir.
func (a *Archiver) deserted(dir string) error {
	there, err := a.Processes.Within(dir)
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "find out who works in %s: %w", dir, err)
	}
	if len(there) > 0 {
		return orchestrator.Errorf(orchestrator.CodeAtRisk, "process %d (%s) works in the worktree; it is kept", there[0].PID, there[0].Name).
			WithHint("end process %d, and try again", there[0].PID)
	}
	return nil
}

// takeBack puts a worktree that was not decided on back to its place.
func (a *Archiver) takeBack(ctx context.Context, wt orchestrator.Worktree) error {
	at := string(a.tree(wt.Chat))
	if _, err := os.Lstat(at); err == nil {
		if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, fs.ErrNotExist) {
			return orchestrator.Errorf(orchestrator.CodeConflict, "something stands at %s, where a worktree is to come back to; that is kept at %s", wt.Dir, at).
				WithHint("move what stands at %s elsewhere, and run the command again", wt.Dir)
		}
		a.before("back")
		if err := os.Rename(at, string(wt.Dir)); err != nil {
			return fmt.Errorf("bring the worktree of chat %s back from %s: %w", wt.Chat, at, err)
		}
		if err := errors.Join(syncDir(filepath.Dir(string(wt.Dir))), syncDir(a.plan(wt.Chat))); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if wt.State == orchestrator.WorktreeClosing {
		a.before("active")
		if err := a.Rows.MoveWorktree(ctx, wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeClosing}, orchestrator.WorktreeActive, ""); err != nil {
			return err
		}
	}
	return gone(os.Remove(a.plan(wt.Chat)))
}

// finish has git forget an archived worktree, and gives its files up.
func (a *Archiver) finish(ctx context.Context, wt orchestrator.Worktree) error {
	if err := a.Trees.Unregister(ctx, wt); err != nil {
		return err
	}
	a.before("dead")
	dead := filepath.Join(a.trash(), fmt.Sprintf("dead-%s-%d", wt.Chat, time.Now().UnixNano()))
	return gone(os.Rename(a.plan(wt.Chat), dead))
}

// Settle implements [orchestrator.Archives]. The row decides.
func (a *Archiver) Settle(ctx context.Context, wt orchestrator.Worktree) error {
	if _, err := os.Lstat(a.plan(wt.Chat)); errors.Is(err, fs.ErrNotExist) {
		if wt.State == orchestrator.WorktreeClosing {
			return a.takeBack(ctx, wt)
		}
		return nil
	}
	if wt.State == orchestrator.WorktreeArchived {
		return a.finish(ctx, wt)
	}
	return a.takeBack(ctx, wt)
}

// Restore implements [orchestrator.Archives].
func (a *Archiver) Restore(ctx context.Context, wt orchestrator.Worktree) error {
	if err := a.Settle(ctx, wt); err != nil {
		return err
	}
	// One that stands there, whole, is what a restore that was cut off has left.
	if err := a.Trees.Verify(ctx, wt); err != nil {
		a.before("restore")
		if err := a.Trees.Restore(ctx, wt); err != nil {
			return err
		}
	}
	a.before("unkeep")
	if err := a.Trees.Unkeep(ctx, wt); err != nil {
		return err
	}
	identity, err := a.Trees.Identity(wt)
	if err == nil {
		err = a.Rows.SetIdentity(ctx, wt.Chat, identity)
	}
	if err != nil {
		return err
	}
	a.before("restored")
	return a.Rows.MoveWorktree(ctx, wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeArchived}, orchestrator.WorktreeActive, "")
}

// gone is err, unless it says that something was not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
