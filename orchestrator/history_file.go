package orchestrator

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// maxFileText bounds one text in the file of a record. A turn's answer may be
// of any length, and is held in memory while it is written.
const maxFileText = 1 << 20

// rest writes the whole record of missed turns into a file and returns the
// line that names it, for an agent that is told only a part. Without a file the
// line says what is missing: a turn does not fail for it.
func (e *Engine) rest(ctx context.Context, cur Turn, missed []Turn, left int) string {
	file, err := e.writeHistory(ctx, cur, missed)
	if err != nil {
		return fmt.Sprintf("> (%d earlier turns are left out, and long texts are cut)\n", left)
	}
	return fmt.Sprintf("> (%d earlier turns are left out, and long texts are cut; all of it can be read in the file %s)\n", left, file)
}

// writeHistory writes the file: one for each chat and agent, replaced by the
// next one. It lies in boo's own directory, not in the tree.
func (e *Engine) writeHistory(ctx context.Context, cur Turn, missed []Turn) (file string, err error) {
	if e.Histories == "" {
		return "", Errorf(CodeInvalid, "there is no place for histories")
	}
	dir := filepath.Join(e.Histories, string(cur.Chat))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a directory for the history: %w", err)
	}
	file = filepath.Join(dir, string(cur.Agent)+".txt")
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return "", fmt.Errorf("write the history: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // of no use without its end
		}
	}()
	err = e.retellAll(ctx, bufio.NewWriter(f), missed)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return "", fmt.Errorf("write the history: %w", err)
	}
	return file, nil
}

func (e *Engine) retellAll(ctx context.Context, w *bufio.Writer, missed []Turn) error {
	_, _ = w.WriteString(historyHead) // an error stays, and Flush returns it
	for _, t := range missed {
		text, _, err := e.retell(ctx, t, maxFileText)
		if err != nil {
			return err
		}
		_, _ = w.WriteString(text + "\n")
	}
	_, _ = w.WriteString(historyFoot)
	return w.Flush()
}
