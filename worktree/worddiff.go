package worktree

import (
	"context"
	"io"

	"boo/orchestrator"
)

// WriteWords writes the difference word by word, in git's porcelain form: after
// the header of a hunk each line is "+words", "-words" or " words", and "~"
// stands for the end of a line of the file. Paths are as for
// [Engine.WritePatch]; binary files are only named.
func (e *Engine) WriteWords(ctx context.Context, w io.Writer, common orchestrator.GitDir, from, to orchestrator.ObjectID, paths []orchestrator.Path) error {
	return e.writeDiff(ctx, w, common, from, to, paths, "-p", "--word-diff=porcelain")
}
