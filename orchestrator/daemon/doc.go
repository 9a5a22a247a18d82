// Package daemon keeps the processes of boo apart: it gives out the locks by
// which one of them owns a chat, or applies to a checkout, at a time, and it
// lets one process at a time be the daemon of a data directory, which commands
// find, start, replace and stop.
//
// It promises of locks:
//
//   - A lock has one holder at a time, among all processes on the machine and
//     among the goroutines of one.
//   - A lock ends with its holder, however that ends, and at once. Nothing has
//     to be cleaned up, and no lock is ever taken for stale.
//   - A process that the holder starts does not inherit the lock.
//   - Whoever waits ends to wait when its context ends, and leaves no
//     goroutine behind.
//
// and of the daemon:
//
//   - A data directory has one, from its claim to the release of it.
//   - Nobody but its own user speaks with it, and nobody speaks with a socket
//     that another user has put in its place: both sides ask the kernel.
//   - What runs inside of one of its agents may not command it.
//   - However many commands find none at once, one is started, and all of them
//     are served, or hear why it failed.
//   - While nothing happens, it does nothing: no timer runs, nothing is polled.
//
// It refuses to know what a lock stands for, and what the daemon does for those
// who connect ([Work]). Waiters come in no order.
//
// # Locks
//
// A lock is an flock(2) on a file in one directory, which is on a local file
// system. It belongs to the open file description, so it is as good between
// goroutines as between processes, and the kernel drops it when the last
// descriptor is closed.
//
// The files stay for good. To unlink one would be to lose exclusion: a process
// that has opened the old file waits for, and gets, a lock that nobody who
// comes later looks at. Where somebody else has unlinked a file, who gets the
// lock on it sees that it is not the one at the path, and tries again there.
//
// The file of a lock that is held says by which process, for messages; see
// [Locks.Holder]. A signature that outlives its lock says that the holder was
// killed.
//
//	free ──Lock, TryLock──▶ held ──release, end of the process──▶ free
//
// # The daemon
//
// Lock and socket lie in the data directory, and not in XDG_RUNTIME_DIR: that
// differs between two logins of one person, who are to find the same daemon. The
// socket is reached through a descriptor of its directory, which has to belong to
// the user and be closed to all others. So its path may be of any length, and is
// not looked up a second time once it was found to be safe.
//
//	             lock taken, work opened       asked, signal,
//	             and recovered, listening      directory gone
//	claiming ────────────────────────▶ serving ─────────────▶ ending ──▶ ended
//	    │                              │      ▲                 ▲
//	    │ taken already, work refuses  │      ╰─ something runs ┤ nothing runs
//	    ▼                              ╰──▶ leaving ────────────╯
//	 refused
//
// ending: the socket is closed, what runs is interrupted and put on record, those
// who follow it hear of that, processes end, the store is closed, the lock is
// released; each with a bound. leaving: what came first is served, and so is who
// comes meanwhile; the daemon ends at the first moment at which nothing runs.
//
// A command that starts a daemon runs its own program again, in a session of its
// own, with "/" as its directory, a log for its output, and an environment that
// it was given. A pipe tells when it serves, or why it does not. The umask is the
// person's: agents make files as the person would, and boo's own are made with
// modes that depend on no umask.
//
// A daemon and a command tell each other their [Identity]. If these differ, the
// daemon makes room as soon as nothing runs in it, and is spoken with until then
// if the protocol is the same. Which of the two is the newer one does not matter:
// the boo that was typed is the one that runs.
//
// # How it fails
//
// CodeDenied and CodeFull if a directory, a file or the socket cannot be made or
// is not to be trusted, CodeInvalid for an empty name, CodeInterrupted when the
// context of a waiting call ends, CodeBusy where there is a daemon already or one
// that cannot be spoken with is busy, CodeNotFound where there is none.
package daemon
