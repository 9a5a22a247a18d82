package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// Sparse returns those of the paths that the checkout has in its index and
// leaves out of its files, because it is a sparse one. Cost follows the size of
// the index, of a checkout that has been sparse.
func (e *Engine) Sparse(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path) (map[orchestrator.Path]bool, error) {
	left := map[orchestrator.Path]bool{}
	if _, err := os.Lstat(filepath.Join(string(c.GitDir), "info", "sparse-checkout")); err != nil {
		return left, nil // as for most
	}
	out, err := e.git.Run(ctx, own(c, "ls-files", "-t", "-z"))
	if err != nil {
		return nil, coded(err, "read the index of %s", c.Dir)
	}
	skipped := map[string]bool{}
	for line := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if name, ok := strings.CutPrefix(line, "S "); ok {
			skipped[name] = true
		}
	}
	for _, p := range paths {
		if skipped[string(p)] {
			left[p] = true
		}
	}
	return left, nil
}
