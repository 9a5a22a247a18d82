package safeopen

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// The reasons for which a path is refused.
var (
	ErrSymlink    = errors.New("a directory of the path is a symlink")
	ErrNotRegular = errors.New("not a regular file")
	ErrOutside    = errors.New("not a path below the root")
)

// Root is a directory that paths are looked up in. It stays the same directory
// when it is renamed. Its methods may be called concurrently, but not with or
// after Close.
type Root struct {
	fd      int
	openat2 bool
}

// OpenRoot opens the directory dir. Its own path is trusted, its last part may
// not be a symlink.
func OpenRoot(dir string) (*Root, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", dir, err)
	}
	r := &Root{fd: fd}
	probe, err := openat2(fd, ".", unix.O_PATH|unix.O_DIRECTORY)
	if err == nil {
		r.openat2 = true
		_ = unix.Close(probe)
	}
	return r, nil
}

// Close frees the directory.
func (r *Root) Close() error { return unix.Close(r.fd) }

// Lstat returns what lies at path; of a symlink, the link itself.
func (r *Root) Lstat(path orchestrator.Path) (unix.Stat_t, error) {
	var st unix.Stat_t
	fd, err := r.open(path, unix.O_PATH)
	if err != nil {
		return st, refused("stat", path, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &st); err != nil {
		return st, refused("stat", path, err)
	}
	return st, nil
}

// Readlink returns the target of the symlink at path. What is no symlink is
// refused with EINVAL.
func (r *Root) Readlink(path orchestrator.Path) (string, error) {
	fd, err := r.open(path, unix.O_PATH)
	if err != nil {
		return "", refused("read link", path, err)
	}
	defer unix.Close(fd)
	// The kernel allows no longer target than PATH_MAX.
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", buf)
	if errors.Is(err, unix.ENOENT) {
		err = unix.EINVAL // what Linux says of an O_PATH descriptor of no symlink
	}
	if err != nil {
		return "", refused("read link", path, err)
	}
	return string(buf[:n]), nil
}

// OpenDir returns a descriptor of the directory at path ("" is the root) that
// can be listed. The caller closes it.
func (r *Root) OpenDir(path orchestrator.Path) (int, error) {
	if path == "" {
		path = "."
	}
	fd, err := r.lookup(string(path), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK)
	if err == unix.ENOTDIR {
		if st, lerr := r.Lstat(path); lerr == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = unix.ELOOP
		}
	}
	if err != nil {
		return -1, refused("open directory", path, err)
	}
	return fd, nil
}

// open opens what lies at path itself.
func (r *Root) open(path orchestrator.Path, flags int) (int, error) {
	if !below(string(path)) {
		return -1, ErrOutside
	}
	return r.lookup(string(path), flags)
}

// below reports whether path can name a file below a root.
func below(path string) bool {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

func (r *Root) lookup(path string, flags int) (int, error) {
	if r.openat2 && len(path) < unix.PathMax {
		return openat2(r.fd, path, flags)
	}
	return walk(r.fd, path, flags)
}

func openat2(dir int, path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags) | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	return retry(func() (int, error) { return unix.Openat2(dir, path, &how) })
}

// retry calls again when a signal cut the call off.
func retry(call func() (int, error)) (int, error) {
	for {
		fd, err := call()
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// walk is openat2 for kernels without it.
func walk(dir int, path string, flags int) (int, error) {
	at := dir
	for {
		part, rest, more := strings.Cut(path, "/")
		want := unix.O_PATH | unix.O_DIRECTORY
		if !more {
			want = flags
		}
		fd, err := retry(func() (int, error) {
			return unix.Openat(at, part, want|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		})
		if more && err == unix.ENOTDIR && isSymlink(at, part) {
			err = unix.ELOOP
		}
		if at != dir {
			_ = unix.Close(at)
		}
		if err != nil || !more {
			return fd, err
		}
		at, path = fd, rest
	}
}

func isSymlink(dir int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

// refused gives an error of the kernel's the meaning that callers ask for.
func refused(verb string, path orchestrator.Path, err error) error {
	switch {
	case errors.Is(err, unix.ELOOP):
		err = ErrSymlink
	case errors.Is(err, unix.EXDEV):
		err = ErrOutside
	case errors.Is(err, unix.ENOTDIR):
		err = fmt.Errorf("%w (%w)", fs.ErrNotExist, unix.ENOTDIR)
	}
	return fmt.Errorf("%s %s: %w", verb, path, err)
}
