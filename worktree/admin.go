package worktree

import (
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// admin is the directory in which the repository keeps what it knows of a
// linked worktree (gitrepository-layout(5), worktrees/<id>). It is named after
// the chat, so that it can be found again with nothing else at hand.
type admin string

func adminOf(wt orchestrator.Worktree) admin {
	return admin(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat)))
}

func (a admin) file(name string) string { return filepath.Join(string(a), name) }

// dotGit is the content of the worktree's .git file.
func (a admin) dotGit() string { return "gitdir: " + string(a) + "\n" }

// lockReason is what "git worktree list" shows, and what keeps "git worktree
// prune" and "remove" off.
func lockReason(chat orchestrator.ChatID) string { return "boo chat " + string(chat) }

// spareReason is the same of a spare, which is no chat's yet.
func spareReason(chat orchestrator.ChatID) string { return "boo spare " + string(chat) }

// adminFile is a small file of a registration.
type adminFile struct{ name, content string }

// registration is what the repository knows of a worktree with HEAD detached
// at a commit; the lock comes first.
func registration(wt orchestrator.Worktree, head orchestrator.ObjectID, reason string) []adminFile {
	return []adminFile{
		{"locked", reason + "\n"},
		{"gitdir", filepath.Join(string(wt.Dir), ".git") + "\n"},
		{"commondir", "../..\n"},
		{"HEAD", string(head) + "\n"},
	}
}

// register makes the worktree known to its repository: locked from the first
// moment, detached at commit. It writes what "git worktree add --detach
// --no-checkout --lock" writes, without the programs that this would start;
// and the directory itself last, so that whatever a crash leaves behind can be
// told from a stranger's directory by its registration.
func register(wt orchestrator.Worktree, reason string) error {
	a := adminOf(wt)
	if err := os.MkdirAll(filepath.Dir(string(a)), 0o777); err != nil {
		return fmt.Errorf("register the worktree: %w", err)
	}
	if err := os.Mkdir(string(a), 0o777); err != nil {
		return fmt.Errorf("register the worktree: %w", err)
	}
	for _, f := range registration(wt, wt.Base, reason) {
		if err := os.WriteFile(a.file(f.name), []byte(f.content), 0o666); err != nil {
			return fmt.Errorf("register the worktree: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(string(wt.Dir)), 0o700); err != nil {
		return fmt.Errorf("make the worktree's directory: %w", err)
	}
	if err := os.Mkdir(string(wt.Dir), 0o700); err != nil {
		return fmt.Errorf("make the worktree's directory: %w", err)
	}
	if err := os.WriteFile(filepath.Join(string(wt.Dir), ".git"), []byte(a.dotGit()), 0o666); err != nil {
		return fmt.Errorf("link the worktree to its repository: %w", err)
	}
	return nil
}
