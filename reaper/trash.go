package reaper

import (
	"bufio"
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// ours reports nil if a worktree is one of boo's, at its place, and nothing is
// mounted in it.
func (a *Archiver) ours(ctx context.Context, wt orchestrator.Worktree) error {
	if err := cmp.Or(a.Trees.Verify(ctx, wt), a.Trees.SameTree(wt)); err != nil {
		return err
	}
	return a.inside(string(wt.Dir))
}

// inside reports nil if a path is one below boo's root, with no link on the way,
// and nothing is mounted at or below it.
func (a *Archiver) inside(path string) error {
	root, err := filepath.EvalSymlinks(a.Root)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(a.Root, path)
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
func (a *Archiver) Clear(ctx context.Context) (freed int64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread ends with the goroutine, and its priority with it.
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // else it runs like any other
		entries, _ := os.ReadDir(a.trash())
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), "dead-") {
				freed += clearDead(ctx, filepath.Join(a.trash(), entry.Name()))
			}
		}
	}()
	<-done
	return freed
}

// clearDead removes a directory, bit by bit, until ctx ends, and returns how many
// bytes that freed. What cannot be removed is tried again the next time.
func clearDead(ctx context.Context, dir string) (freed int64) {
	if unmounted(dir) != nil {
		return 0
	}
	tree := filepath.Join(dir, "tree")
	entries, _ := os.ReadDir(tree)
	for _, entry := range entries {
		if ctx.Err() != nil {
			return freed
		}
		path := filepath.Join(tree, entry.Name())
		size := sizeOf(path)
		if os.RemoveAll(path) == nil { // follows no link
			freed += size
		}
	}
	_ = os.Remove(tree)
	_ = os.Remove(dir)
	return freed
}

// sizeOf is what the files at and below a path take on the disk.
func sizeOf(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read counts for nothing
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink <= 1 || entry.IsDir() {
			sum += stat.Blocks * 512
		}
		return nil
	})
	return sum
}
