package dircache

import (
	"time"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// Stat is what an index remembers of a file, as wide as its fields are on disk.
type Stat struct {
	CtimeSec, CtimeNsec uint32
	MtimeSec, MtimeNsec uint32
	Dev, Ino            uint32
	UID, GID            uint32
	Size                uint32
}

// StatOf takes from st what an index remembers.
func StatOf(st *unix.Stat_t) Stat {
	return Stat{
		CtimeSec: uint32(st.Ctim.Sec), CtimeNsec: uint32(st.Ctim.Nsec),
		MtimeSec: uint32(st.Mtim.Sec), MtimeNsec: uint32(st.Mtim.Nsec),
		Dev: uint32(st.Dev), Ino: uint32(st.Ino), UID: st.Uid, GID: st.Gid,
		Size: foldSize(st.Size),
	}
}

// foldSize keeps 0 for empty files alone, as git does since 2.43: a length
// that is a multiple of 4 GiB must not look like "unknown".
func foldSize(size int64) uint32 {
	if uint32(size) == 0 && size != 0 {
		return 1 << 31
	}
	return uint32(size)
}

// Mtime returns the modification time.
func (s Stat) Mtime() time.Time { return time.Unix(int64(s.MtimeSec), int64(s.MtimeNsec)) }

// Touched returns the later of the modification time, which anybody can set, and
// the change time, which follows the clock.
func (s Stat) Touched() time.Time {
	if changed := time.Unix(int64(s.CtimeSec), int64(s.CtimeNsec)); changed.After(s.Mtime()) {
		return changed
	}
	return s.Mtime()
}

// Match is the answer to "does the file still hold what its entry says?".
type Match uint8

// The answers.
const (
	Unsure    Match = iota // stat data do not tell: the content has to be compared
	Unchanged              // the file is as when the entry was made
	Changed                // it certainly differs: in type or executable bit
)

// ModeOf returns git's mode for what st describes, and ModeNone for what git
// does not record. A directory may only be a submodule's.
func ModeOf(st *unix.Stat_t) orchestrator.FileMode {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if st.Mode&0o100 != 0 {
			return orchestrator.ModeExec
		}
		return orchestrator.ModeRegular
	case unix.S_IFLNK:
		return orchestrator.ModeSymlink
	case unix.S_IFDIR:
		return orchestrator.ModeGitlink
	}
	return orchestrator.ModeNone
}

// Match compares e with what lstat says of its file now. The marks that a
// person put on the entry do not count, and a submodule is never more than
// [Unsure].
func (x *Index) Match(e *Entry, st *unix.Stat_t) Match {
	mode := ModeOf(st)
	switch {
	case mode != e.Mode:
		return Changed
	case mode == orchestrator.ModeGitlink || e.Flags&IntentToAdd != 0:
		return Unsure
	case !sameStat(e.Stat, StatOf(st)):
		return Unsure
	case e.Stat.Size == 0 && e.ID != x.emptyBlob:
		return Unsure // git's mark for an entry that was racy when it was written
	case x.Racy(e):
		return Unsure
	}
	return Unchanged
}

// sameStat follows git's default: the device is left out, because it changes when
// a network file system is mounted again. Settings that have git look less closely
// (core.trustCtime, core.checkStat) do not count: a change would be missed.
func sameStat(a, b Stat) bool {
	a.Dev, b.Dev = 0, 0
	return a == b
}

// Racy reports whether e's file was touched so late that a modification after
// that, with its time set back, may have left its stat data as they are.
func (x *Index) Racy(e *Entry) bool {
	return !e.Stat.Touched().Before(x.asOf)
}

// Doubt gives the entry of path at stage 0 git's mark for "compare the content".
func (x *Index) Doubt(path orchestrator.Path) {
	if e := x.Lookup(path); e != nil {
		e.Stat.Size = 0
	}
}
