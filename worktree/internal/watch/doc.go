// Package watch tells which paths of a directory tree were touched, at a cost
// that follows the changes and not the tree, by inotify(7).
//
// It promises that [Watcher.Drain] returns every path that was written,
// created, removed or renamed by a system call that had returned before Drain
// was called and began after [Start] had returned; or else says, by
// [Changes.Lost], that it cannot know, and then does so for good. It may name
// paths that did not change.
//
// # What it cannot see
//
// Writes through a memory mapping, and writes to a file through a hard link
// that lies outside the tree, send no events. So what it reports is a fast
// answer, never the truth.
//
// # Why Drain's barrier is sound
//
// A system call that changes a file puts its event into the queue of the
// inotify instance before it returns, and the queue is in order for all
// directories of the instance. Drain renames a file in a directory that only
// this watcher uses and that the same instance watches: the rename's event is
// behind all events of earlier calls. When the watcher's goroutine has come to
// it, it has handled those. Every rename has a name of its own, so the kernel
// cannot fold two into one, and nobody else's access looks like one.
//
// A new directory is watched first and listed after, when the event of its
// creation is handled, so what is in it was either listed or sends an event;
// both happen before the barrier's event. A directory that is moved is let go
// where it was and treated as new where it went.
//
// Should the queue overflow, the barrier's event may be the one that is
// dropped. The kernel then leaves an overflow event, which ends the wait.
//
// # States
//
//	Start ──▶ watching ──▶ lost (overflow, limit, unreadable, root gone, flood)
//	             │           │        watches nothing, answers Lost
//	             ╰───────────┴─Close─▶ closed
//
// One goroutine reads the queue; it sleeps in the kernel while nothing changes.
// Directories that are symlinks are not followed, a .git at the top is left
// out, and the inside of a nested one is not watched.
//
// The package refuses to know git's ignore rules and what a path holds.
package watch
