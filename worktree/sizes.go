package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// Sizes returns how many bytes objects have, in one go. One that is not there,
// such as the commit of a submodule, has no size.
func (e *Engine) Sizes(ctx context.Context, common orchestrator.GitDir, ids []orchestrator.ObjectID) (map[orchestrator.ObjectID]int64, error) {
	sizes := make(map[orchestrator.ObjectID]int64, len(ids))
	if len(ids) == 0 {
		return sizes, nil
	}
	r, err := e.plain(common, ids[0])
	if err != nil {
		return nil, coded(err, "ask for the sizes of files")
	}
	var names strings.Builder
	for _, id := range ids {
		names.WriteString(string(id) + "\n")
	}
	call := r.call("cat-file", "--batch-check=%(objectname) %(objectsize)")
	call.Stdin = strings.NewReader(names.String())
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, coded(err, "ask for the sizes of files")
	}
	return sizes, coded(parseSizes(out, sizes), "ask for the sizes of files")
}

func parseSizes(out gitcmd.Output, sizes map[orchestrator.ObjectID]int64) error {
	for line := range strings.Lines(string(out.Stdout)) {
		id, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if size == "missing" {
			continue
		}
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return fmt.Errorf("git answers %q", line)
		}
		sizes[orchestrator.ObjectID(id)] = n
	}
	return nil
}
