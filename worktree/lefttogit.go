package worktree

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/treescan"
)

// fellBack tells why a snapshot is left to git, and counts it.
func (e *Engine) fellBack(wt orchestrator.Worktree, why error) {
	e.unwatched(why)
	left := e.LeftToGit(wt)
	left.Count++
	left.Why = strings.TrimPrefix(why.Error(), treescan.ErrUnusual.Error()+": ")
	if content, err := json.Marshal(left); err == nil {
		_ = replaceFile(e.leftFile(wt.Chat), content) // it is for people to know, and no more
	}
}

// LeftToGit tells how many snapshots of a worktree were taken by git, which is
// slower than in process, and why the newest of them was.
func (e *Engine) LeftToGit(wt orchestrator.Worktree) orchestrator.LeftToGit {
	var left orchestrator.LeftToGit
	content, err := readSmall(e.leftFile(wt.Chat), 64<<10)
	if err != nil || json.Unmarshal(content, &left) != nil {
		return orchestrator.LeftToGit{} // none were, or it is not known
	}
	return left
}

func (e *Engine) leftFile(chat orchestrator.ChatID) string {
	return filepath.Join(e.chatDir(chat), "bygit")
}

// unusually is errUnusual with what it is.
func unusually(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnusual, fmt.Sprintf(format, args...))
}
