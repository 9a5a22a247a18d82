package treescan

import (
	"context"
	"fmt"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// Newest is the newest time on the files and directories of a tree, those nearest
// to its top, as many as most: when one was written, or anything else about it
// changed. What goes meanwhile, or cannot be read, has none.
func Newest(ctx context.Context, root *safeopen.Root, most int) (newest time.Time, err error) {
	buf := make([]byte, 8<<10)
	seen := 0
	for dirs := []string{""}; len(dirs) > 0 && seen < most; dirs = dirs[1:] {
		if err := ctx.Err(); err != nil {
			return newest, err
		}
		fd, err := root.OpenDir(orchestrator.Path(dirs[0]))
		if err != nil {
			continue
		}
		look := func(name string, flags int) {
			var st unix.Stat_t
			if unix.Fstatat(fd, name, &st, flags) != nil {
				return
			}
			for _, spec := range []unix.Timespec{st.Mtim, st.Ctim} {
				if at := time.Unix(spec.Unix()); at.After(newest) {
					newest = at
				}
			}
		}
		look("", unix.AT_EMPTY_PATH)
		err = each(fd, buf, func(name string, kind byte) error {
			switch {
			case name == "." || name == "..":
				return nil
			case kind == unix.DT_DIR:
				dirs = append(dirs, string(under(dirs[0], name)))
			default:
				look(name, unix.AT_SYMLINK_NOFOLLOW)
			}
			seen++
			return nil
		})
		unix.Close(fd)
		if err != nil {
			return newest, fmt.Errorf("list directory %s: %w", orchestrator.Path(dirs[0]), err)
		}
	}
	return newest, nil
}
