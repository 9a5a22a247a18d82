package worktree

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// headEvents are the ways in which a ref changes: git renames a lock to it, others
// write it in place, and a branch that is the first of its kind, or was packed, has
// its directory made or removed.
const headEvents = unix.IN_MOVED_TO | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF |
	unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// HeadMoved implements [orchestrator.Trees], by inotify(7) on the two or three
// directories that HEAD is read from: it costs nothing while nothing moves.
func (e *Engine) HeadMoved(ctx context.Context, dir string, from orchestrator.ObjectID) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return coded(err, "follow HEAD of %s", dir)
	}
	queue := os.NewFile(uintptr(fd), "inotify")
	defer queue.Close()
	defer context.AfterFunc(ctx, func() { _ = queue.SetReadDeadline(time.Unix(1, 0)) })()
	watched := map[int]bool{}
	for {
		c, err := e.Checkout(ctx, dir)
		if err != nil {
			return err
		}
		if c.Head != from {
			return nil
		}
		places, branch := headPlaces(c)
		grown := false
		for _, place := range places {
			wd, err := unix.InotifyAddWatch(fd, place, headEvents)
			if err != nil && err != unix.ENOENT {
				return coded(err, "follow HEAD of %s", dir)
			}
			// What went just now has another place to be looked for.
			grown = grown || err != nil || !watched[wd]
			watched[wd] = true
		}
		if grown {
			continue // it may have moved before it was watched
		}
		if err := awaitEvent(queue, branch); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return coded(err, "follow HEAD of %s", dir)
		}
	}
}

// headPlaces are the directories whose files say where HEAD is, and the last part
// of the name of the branch that is checked out.
func headPlaces(c orchestrator.Checkout) (places []string, branch string) {
	places = []string{string(c.GitDir), string(c.CommonDir)}
	content, _ := readSmall(filepath.Join(string(c.GitDir), "HEAD"), 4<<10)
	ref, on := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: refs/heads/")
	if !on {
		return places, ""
	}
	heads := filepath.Join(string(c.CommonDir), "refs", "heads")
	at := filepath.Dir(filepath.Join(heads, filepath.FromSlash(ref)))
	for ; strings.HasPrefix(at, heads+"/"); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.IsDir() {
			break
		}
	}
	return append(places, at), filepath.Base(ref)
}

// awaitEvent returns at the next event that may have moved HEAD.
func awaitEvent(queue *os.File, branch string) error {
	buf := make([]byte, 16<<10)
	for {
		n, err := queue.Read(buf)
		if err != nil {
			return err
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			mask := binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := strings.Cut(string(rest[unix.SizeofInotifyEvent:end]), "\x00")
			rest = rest[end:]
			// An event without a name is about the directory, or tells that others were lost.
			if name == "" || name == "HEAD" || name == "packed-refs" || name == branch || mask&unix.IN_ISDIR != 0 {
				return nil
			}
		}
	}
}
