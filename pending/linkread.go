package pending

import (
	"context"

	"boo/orchestrator"
)

// target reads where a symlink of the snapshot points.
func (e *Engine) target(ctx context.Context, common orchestrator.GitDir) func(orchestrator.Change) (string, error) {
	return func(c orchestrator.Change) (string, error) {
		var target limited
		err := e.git.Blob(ctx, common, c.New.ID, &target)
		return string(target), err
	}
}

// limited takes the first maxTarget bytes of what is written to it and drops
// the rest: no symlink can be that long.
type limited []byte

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	room := min(len(p), maxTarget-len(*l))
	*l = append(*l, p[:room]...)
	return len(p), nil
}
