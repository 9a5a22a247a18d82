// Package pending keeps the pending set of a chat: it computes how the set
// moves at a turn's end, writes changes into the person's checkout, and takes
// them back.
//
// It promises:
//
//   - The pending set is the difference between the baseline and the newest
//     snapshot, path by path. A path that moved gets a new row that supersedes
//     its old one, and is credited to those whose shares touched it.
//   - An apply, and an undo, is all or nothing through a crash at any step, a
//     full disk, and somebody who edits the same files in the same moment.
//     Their edit wins: whatever cannot be made without it goes back.
//   - What an apply moves away is held, byte for byte, under
//     refs/boo/applies/<apply>: its second parent has it below "before/".
//   - What is said to collide, of several chats or with the checkout, is what an
//     apply would refuse.
//   - Nothing is written outside the checkout, or through a symlink, or into
//     git's own directory under any of its disguises, or into a repository
//     nested in the checkout. A change that would is refused with its reason.
//
// It refuses to know how git and the database work; ports.go says what it needs
// of them. The person's index, HEAD and branches are not touched.
//
// # How it fails
//
// Changes that collide with the person's files, and hostile changes, are both
// CodeConflict: nothing was written, and the result names each path and the
// reason in words. A file that changes while an apply runs is CodeConflict, a
// full disk CodeFull, missing permission CodeDenied; each says that nothing was
// changed. Where taking back is cut off as well, the record stays prepared and
// the next apply, undo or [Engine.Recover] goes on with it.
//
// # A record
//
//	         PutApply            CommitApply             CommitUndo
//	(staged) ───────▶ prepared ──────────────▶ applied ───────────▶ undone
//	                     │
//	                     ╰──▶ rolled_back (an error, or a crash before the commit)
//
// An undo has a record of its own, with Undoing set, that goes from prepared to
// undone or rolled_back; whether it had been committed when it was cut off is
// seen from its changes, which are reverted then.
//
// # One file
//
//	in the checkout        in the stage
//	old                    new/PATH                staged, verified, recorded
//	(nothing)              new/PATH, old/N         the old one made way
//	new (= new/PATH)       new/PATH, old/N         the new one is linked in
//
// The old file makes way by a rename, and only then is looked at for the last
// time: what is in the stage is what was there. The new one comes by a link,
// which replaces nothing. boo knows its own file again by the inode that it
// shares with the stage; every other file it leaves alone.
package pending
