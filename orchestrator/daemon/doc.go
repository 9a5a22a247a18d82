// Package daemon keeps the processes of boo apart: it gives out the locks by
// which one of them owns a chat, or applies to a checkout, at a time.
//
// It promises:
//
//   - A lock has one holder at a time, among all processes on the machine and
//     among the goroutines of one.
//   - A lock ends with its holder, however that ends, and at once. Nothing has
//     to be cleaned up, and no lock is ever taken for stale.
//   - A process that the holder starts does not inherit the lock.
//   - Whoever waits ends to wait when its context ends, and leaves no
//     goroutine behind.
//
// It refuses to know what a lock stands for. Waiters come in no order.
//
// # How it is built
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
// The file of a lock that is held says by which process, for messages alone;
// see [Locks.Holder].
//
//	free ──Lock, TryLock──▶ held ──release, end of the process──▶ free
//
// # How it fails
//
// CodeDenied and CodeFull if the directory or a file cannot be made,
// CodeInvalid for an empty name, CodeInterrupted when the context of a waiting
// call ends.
package daemon
