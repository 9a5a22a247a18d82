package worktree

import (
	"context"
	"fmt"
	"strings"

	"boo/orchestrator"
)

// outside reads from "ls-files -t -z" which files a sparse checkout leaves out
// of the work tree (git-update-index(1), skip-worktree).
func outside(listing []byte) []orchestrator.Path {
	var paths []orchestrator.Path
	for line := range strings.SplitSeq(string(listing), "\x00") {
		if path, ok := strings.CutPrefix(line, "S "); ok {
			paths = append(paths, orchestrator.Path(path))
		}
	}
	return paths
}

// leaveOutside marks files of an index as left out of the work tree: that they
// are not there is then no deletion.
func (e *Engine) leaveOutside(ctx context.Context, r repo, paths []orchestrator.Path) error {
	if len(paths) == 0 {
		return nil
	}
	var in strings.Builder
	for _, path := range paths {
		in.WriteString(string(path) + "\x00")
	}
	call := r.call("update-index", "--skip-worktree", "-z", "--stdin")
	call.Stdin = strings.NewReader(in.String())
	if _, err := e.git.Run(ctx, call); err != nil {
		return fmt.Errorf("mark files outside of the sparse checkout: %w", err)
	}
	return nil
}
