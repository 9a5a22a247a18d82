package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// spareFloor is how much of the disk a spare worktree leaves free, which nobody
// has asked for.
const spareFloor = 5 << 30

// freeBytes tells how much may still be written to the disk that dir is on, or
// would be.
func freeBytes(dir string) (int64, error) {
	for {
		var disk unix.Statfs_t
		err := unix.Statfs(dir, &disk)
		if err == nil {
			return int64(disk.Bavail) * disk.Bsize, nil
		}
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return 0, err
		}
		dir = above
	}
}
