package watch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// mask is what is asked of every directory. IN_CLOSE_WRITE catches a mapping
// that was written to and then closed with its file. A file that was unlinked
// while open tells nothing any more.
const mask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_ATTRIB |
	unix.IN_CLOSE_WRITE | unix.IN_EXCL_UNLINK | unix.IN_ONLYDIR

const rootMask = mask | unix.IN_DELETE_SELF

// listing is what a visit found in a directory.
type listing struct {
	wd          int32
	dirs        []orchestrator.Path
	files       []orchestrator.Path // only when asked for
	ignoreRules bool
	nestedGit   bool
}

// visit watches one directory and then lists it. The watch comes first: what is
// made in between is both listed and reported. A directory that is not there,
// or is none, has an error that wraps fs.ErrNotExist or [safeopen.ErrSymlink].
func (w *Watcher) visit(path orchestrator.Path, wantFiles bool, buf []byte) (listing, error) {
	fd, err := w.root.OpenDir(path)
	if err != nil {
		return listing{}, err
	}
	defer unix.Close(fd)
	events := uint32(mask)
	if path == "" {
		events = rootMask
	}
	// By the descriptor, and not by the path, which may lead elsewhere by now.
	wd, err := unix.InotifyAddWatch(w.fd, "/proc/self/fd/"+strconv.Itoa(fd), events)
	if err != nil {
		return listing{}, fmt.Errorf("watch directory %s: %w", path, watchError(err))
	}
	l := listing{wd: int32(wd)}
	parent := dir{path: path}
	err = readDir(fd, buf, func(name string, isDir bool) {
		switch {
		case name == ".git":
			l.nestedGit = l.nestedGit || path != ""
			return
		case isRules(name):
			l.ignoreRules = true
		}
		if !isDir {
			if wantFiles {
				l.files = append(l.files, parent.below(strings.Clone(name)))
			}
			return
		}
		if sub := parent.below(strings.Clone(name)); w.opts.Skip == nil || !w.opts.Skip(sub) {
			l.dirs = append(l.dirs, sub)
		}
	})
	if err != nil {
		return l, fmt.Errorf("list directory %s: %w", path, err)
	}
	return l, nil
}

// gone reports whether err means that there is no directory (any more): one that
// leaves the tree while it is opened is outside.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, safeopen.ErrSymlink) || errors.Is(err, safeopen.ErrOutside)
}

func isRules(name string) bool { return name == ".gitignore" || name == ".gitattributes" }

const direntName = 19 // where the name begins in a linux_dirent64 (getdents(2))

// readDir calls found for each entry. The name is valid during the call.
func readDir(fd int, buf []byte, found func(name string, isDir bool)) error {
	for {
		n, err := unix.Getdents(fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ENOENT || err == nil && n == 0: // ENOENT: removed while it is open
			return nil
		case err != nil:
			return err
		}
		for rest := buf[:n]; len(rest) > direntName; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			name, _, _ := strings.Cut(string(rest[direntName:length]), "\x00")
			kind := rest[18]
			rest = rest[length:]
			if name == "." || name == ".." {
				continue
			}
			if kind == unix.DT_UNKNOWN {
				kind = kindOf(fd, name)
			}
			found(name, kind == unix.DT_DIR)
		}
	}
}

// kindOf asks for what some file systems do not tell in a listing.
func kindOf(fd int, name string) byte {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unix.DT_REG
	}
	return unix.DT_DIR
}
