package treescan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// Newest is the newest time on some directories, "" for the top, and on the files
// and directories in them, those nearest to them, as many as most: when one was
// written, or anything else about it changed. What goes meanwhile, cannot be read,
// or is no directory, has none.
func Newest(ctx context.Context, root *safeopen.Root, in []orchestrator.Path, most int) (newest time.Time, err error) {
	buf := make([]byte, 8<<10)
	seen := 0
	for dirs := slices.Clone(in); len(dirs) > 0 && seen < most; dirs = dirs[1:] {
		if err := ctx.Err(); err != nil {
			return newest, err
		}
		fd, err := root.OpenDir(dirs[0])
		if err != nil {
			continue
		}
		look := func(name string, flags int) {
			var st unix.Stat_t
			if unix.Fstatat(fd, name, &st, flags) == nil {
				newest = later(newest, &st)
			}
		}
		look("", unix.AT_EMPTY_PATH)
		err = each(fd, buf, func(name string, kind byte) error {
			switch {
			case name == "." || name == "..":
				return nil
			case kind == unix.DT_DIR:
				dirs = append(dirs, under(string(dirs[0]), name))
			default:
				look(name, unix.AT_SYMLINK_NOFOLLOW)
			}
			seen++
			return nil
		})
		unix.Close(fd)
		if err != nil {
			return newest, fmt.Errorf("list directory %s: %w", dirs[0], err)
		}
	}
	return newest, nil
}

// later is the newest of a time and those of a file.
func later(newest time.Time, st *unix.Stat_t) time.Time {
	for _, spec := range []unix.Timespec{st.Mtim, st.Ctim} {
		if at := time.Unix(spec.Unix()); at.After(newest) {
			newest = at
		}
	}
	return newest
}
