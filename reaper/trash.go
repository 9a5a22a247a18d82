package reaper

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// ours reports nil if a worktree is one of boo's, at its place, and nothing is
// mounted in it.
func (a *Archiver) ours(ctx context.Context, wt orchestrator.Worktree) error {
	if err := a.Trees.Verify(ctx, wt); err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(a.Root)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(string(wt.Dir))
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(a.Root, string(wt.Dir))
	if err != nil || !filepath.IsLocal(rel) || rel == "." || real != filepath.Join(root, rel) {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "%s is not below %s, where boo makes worktrees; it was left alone", real, root)
	}
	return unmounted(real)
}

// unmounted reports nil if nothing is mounted at or below dir; see
// proc_pid_mountinfo(5).
func unmounted(dir string) error {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "find out what is mounted: %w", err)
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		if at := unescape.Replace(fields[4]); at == dir || strings.HasPrefix(at, dir+"/") {
			return orchestrator.Errorf(orchestrator.CodeAtRisk, "something is mounted at %s; the worktree was left alone", at).WithHint("umount %s", at)
		}
	}
	if err := lines.Err(); err != nil {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "find out what is mounted: %w", err)
	}
	return nil
}

// Open implements [orchestrator.Archives].
func (a *Archiver) Open() (chats []orchestrator.ChatID, err error) {
	entries, err := os.ReadDir(a.trash())
	for _, entry := range entries {
		name := entry.Name()
		if rest, dead := strings.CutPrefix(name, "dead-"); dead {
			name, _, _ = strings.Cut(rest, "-")
		}
		if chat, err := orchestrator.ParseChatID(name); err == nil {
			chats = append(chats, chat)
		}
	}
	return chats, gone(err)
}

// Clear implements [orchestrator.Archives]. Only what is dead goes: it became so
// after its row was archived.
func (a *Archiver) Clear(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread ends with the goroutine, and its priority with it.
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // else it runs like any other
		entries, _ := os.ReadDir(a.trash())
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), "dead-") {
				clearDead(ctx, filepath.Join(a.trash(), entry.Name()))
			}
		}
	}()
	<-done
}

// clearDead removes a directory, bit by bit, until ctx ends. What cannot be
// removed is tried again the next time.
func clearDead(ctx context.Context, dir string) {
	if unmounted(dir) != nil {
		return
	}
	tree := filepath.Join(dir, "tree")
	entries, _ := os.ReadDir(tree)
	for _, entry := range entries {
		if ctx.Err() != nil {
			return
		}
		_ = os.RemoveAll(filepath.Join(tree, entry.Name())) // follows no link
	}
	_ = os.Remove(tree)
	_ = os.Remove(dir)
}
