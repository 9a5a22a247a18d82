package treescan

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"

	"golang.org/x/sys/unix"
)

// worker visits directories, one at a time.
type worker struct {
	opts  Options
	found *Result
	below []dir // directories to visit next
	names []string
	odd   []string // those that are neither file, symlink nor directory
	buf   []byte
}

// visit compares one directory with its range of the index.
func (w *worker) visit(d dir) error {
	fd, err := w.opts.Root.OpenDir(orchestrator.Path(d.path))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusual, err)
	}
	defer unix.Close(fd)
	if err := w.list(fd, d.path == ""); err != nil {
		return fmt.Errorf("list directory %s: %w", orchestrator.Path(d.path), err)
	}
	w.time(fd, "", unix.AT_EMPTY_PATH)
	// A name of a directory ends in a slash, which makes the order that of
	// the index.
	slices.Sort(w.names)
	entries := w.opts.Index.Entries()
	prefix := len(d.path)
	if prefix > 0 {
		prefix++
	}
	at := d.from
	for _, name := range w.names {
		for at < d.to && head(string(entries[at].Path), prefix) < name {
			at = w.gone(at, d.to, prefix)
		}
		tracked := at < d.to && head(string(entries[at].Path), prefix) == name
		sub, isDir := strings.CutSuffix(name, "/")
		switch {
		case tracked && isDir:
			end := w.group(at, d.to, prefix)
			w.below = append(w.below, dir{path: string(entries[at].Path)[:prefix+len(sub)], from: at, to: end})
			at = end
		case tracked:
			if err := w.compare(fd, name, &entries[at]); err != nil {
				return err
			}
			at++
		case isDir:
			w.found.Dirs = append(w.found.Dirs, under(d.path, sub))
		case slices.Contains(w.odd, name):
		default:
			w.time(fd, name, unix.AT_SYMLINK_NOFOLLOW)
			w.found.Files = append(w.found.Files, under(d.path, name))
		}
	}
	for at < d.to {
		at = w.gone(at, d.to, prefix)
	}
	return nil
}

// time notes the times of something in an open directory, or of that itself.
func (w *worker) time(fd int, name string, flags int) {
	var st unix.Stat_t
	if w.opts.Times && unix.Fstatat(fd, name, &st, flags) == nil {
		w.found.Newest = later(w.found.Newest, &st)
	}
}

// head returns the name that a path has in the directory whose prefix has that
// length, with a slash if it goes on below.
func head(path string, prefix int) string {
	rest := path[prefix:]
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

// group returns the end of the entries that share the name of the one at.
func (w *worker) group(at, to, prefix int) int {
	entries := w.opts.Index.Entries()
	name := head(string(entries[at].Path), prefix)
	if !strings.HasSuffix(name, "/") {
		return at + 1
	}
	start := string(entries[at].Path)[:prefix+len(name)]
	return at + sort.Search(to-at, func(i int) bool { return !strings.HasPrefix(string(entries[at+i].Path), start) })
}

// gone notes the entries of one name, and returns where the next one begins.
func (w *worker) gone(at, to, prefix int) int {
	end := w.group(at, to, prefix)
	for _, e := range w.opts.Index.Entries()[at:end] {
		w.found.Gone = append(w.found.Gone, e.Path)
	}
	return end
}

// compare looks at a tracked file.
func (w *worker) compare(fd int, name string, e *dircache.Entry) error {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusual, err)
	}
	if w.opts.Times {
		w.found.Newest = later(w.found.Newest, &st)
	}
	w.found.Linked = w.found.Linked || st.Nlink > 1
	switch w.opts.Index.Match(e, &st) {
	case dircache.Unchanged:
		return nil
	case dircache.Changed:
		if mode := dircache.ModeOf(&st); mode == orchestrator.ModeNone || mode == orchestrator.ModeGitlink {
			return fmt.Errorf("%w: %s is neither a file nor a symlink", ErrUnusual, e.Path)
		}
	}
	w.found.Suspects = append(w.found.Suspects, e.Path)
	return nil
}

func under(dir, name string) orchestrator.Path {
	if dir == "" {
		return orchestrator.Path(name)
	}
	return orchestrator.Path(dir + "/" + name)
}

const direntName = 19 // where the name begins in a linux_dirent64 (getdents(2))

// list reads the names of a directory: those of directories with a slash at
// the end, and at the top without .git.
func (w *worker) list(fd int, top bool) error {
	w.names, w.odd = w.names[:0], w.odd[:0]
	return each(fd, w.buf, func(name string, kind byte) error { return w.name(fd, name, kind, top) })
}

// each tells of every entry of an open directory.
func each(fd int, buf []byte, tell func(name string, kind byte) error) error {
	for {
		n, err := unix.Getdents(fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("%w: %w", ErrUnusual, err)
		case n == 0:
			return nil
		}
		for rest := buf[:n]; len(rest) > direntName; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			raw, kind := rest[direntName:length], rest[18]
			rest = rest[length:]
			if err := tell(string(raw[:slices.Index(raw, 0)]), kind); err != nil {
				return err
			}
		}
	}
}

func (w *worker) name(fd int, name string, kind byte, top bool) error {
	switch {
	case name == "." || name == "..":
		return nil
	case name == ".git" && top:
		return nil
	case name == ".git":
		return fmt.Errorf("%w: a .git inside it", ErrUnusual)
	}
	if kind == unix.DT_UNKNOWN {
		// Some file systems do not tell in a listing.
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return fmt.Errorf("%w: %w", ErrUnusual, err)
		}
		kind = byte(st.Mode & unix.S_IFMT >> 12)
	}
	switch kind {
	case unix.DT_DIR:
		w.names = append(w.names, name+"/")
	case unix.DT_REG, unix.DT_LNK:
		w.names = append(w.names, name)
	default:
		w.names, w.odd = append(w.names, name), append(w.odd, name)
	}
	return nil
}
