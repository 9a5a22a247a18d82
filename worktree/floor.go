package worktree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// The oldest git that boo works with: merge-tree --write-tree came with it, and
// safe.bareRepository, on which the hardening counts.
const oldestMajor, oldestMinor = 2, 38

// newEnough refuses a git that is older than that. A binary that was found new
// enough is remembered by its place, size and time: asking it costs a process.
func (e *Engine) newEnough(ctx context.Context) error {
	known := filepath.Join(e.dir, "git-checked")
	key := binaryKey(e.opts.Git)
	if content, err := readSmall(known, 64<<10); err == nil && key != "" && string(content) == key {
		return nil
	}
	version, err := e.Version(ctx)
	if err != nil {
		return err
	}
	var major, minor int
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || n < 2 {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "git calls its version %q, which boo cannot read", version).
			WithHint("install git %d.%d or later", oldestMajor, oldestMinor)
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "git %s is too old: boo needs %d.%d or later", version, oldestMajor, oldestMinor).
			WithHint("install git %d.%d or later", oldestMajor, oldestMinor)
	}
	if key != "" {
		_ = replaceFile(known, []byte(key)) // else it is asked again
	}
	return nil
}

// binaryKey tells a binary from another one; "" if it is not found.
func binaryKey(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return strings.Join([]string{path, fmt.Sprint(info.Size()), info.ModTime().String()}, "\n")
}
