package pending

import (
	"context"
	"path"
	"strings"

	"boo/orchestrator"
)

// planFiles is plan for a checkout of the person's. A file that is missing there
// because the checkout is a sparse one was not deleted by them, and its path is
// refused in other words.
func (e *Engine) planFiles(ctx context.Context, t *tree, c orchestrator.Checkout, parts []part, markers bool) ([]*move, error) {
	moves, err := e.plan(ctx, t, c, parts, markers)
	if err != nil {
		return nil, err
	}
	missing := map[orchestrator.Path]*move{}
	var paths []orchestrator.Path
	for _, m := range moves {
		if m.refused != "" && m.at.kind == nothing && m.Base.Exists() {
			missing[m.Path], paths = m, append(paths, m.Path)
		}
	}
	if len(paths) == 0 {
		return moves, nil
	}
	left, err := e.git.Sparse(ctx, c, paths)
	if err != nil {
		return nil, err
	}
	for p := range left {
		missing[p].refused = outside(p)
	}
	return moves, nil
}

// outside says why a path of a sparse checkout cannot be changed, and what to run.
func outside(p orchestrator.Path) string {
	dir := orchestrator.Path(path.Dir(string(p))).String()
	if strings.Trim(dir, plain) != "" {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return "your sparse checkout leaves this file out; to have it: git sparse-checkout add " + dir
}

// plain are characters that a shell takes as they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./@,"
