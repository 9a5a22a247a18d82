package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"boo/orchestrator"
)

// Homeless says why a worktree has no repository any more: there is none where it
// was, or another one, which neither knows the worktree nor has the commit that it
// began from. "" if it has one, or if that cannot be found out. Nothing can be kept
// of the files of such a worktree but the files.
func (e *Engine) Homeless(ctx context.Context, wt orchestrator.Worktree) string {
	if f, ok := errors.AsType[*FaultError](repoThere(wt)); ok {
		return f.What
	}
	if _, err := os.Lstat(string(adminOf(wt))); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if has, err := e.isCommit(ctx, wt.CommonDir, wt.Base); err != nil || has {
		return ""
	}
	return fmt.Sprintf("%s is not the repository that chat %s was made in: commit %s, from which it began, is not there",
		wt.CommonDir, wt.Chat, wt.Base.Short())
}
