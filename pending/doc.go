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
// of them. The person's index, HEAD and branches are touched only where an
// apply is asked to stage or to commit. Nobody's hook runs then: what was just
// applied could be one.
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
// # Places
//
// A change goes to up to three places, and to each by a merge of its own with
// what is there: the file in the checkout, the entry in the index, the entry in
// the commit that HEAD names. So an edit that the person has not staged is not
// staged by it, and one that is staged is not committed by it.
//
// A reject is an apply the other way round, in the chat's worktree: from the
// snapshot back to the baseline. The chat's lock keeps turns away from it, and
// the snapshot that it ends with is taken before it counts.
//
// A change of a text is cut into hunks, which can go one by one. What was taken
// of it moves the baseline there; the rest gets a row of its own. A hunk is an
// agent's if nobody else wrote one of its new lines or removed one of its old
// ones, and in doubt it is everybody's.
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
// seen from its changes, which are reverted then. A record is cleared when
// nothing of it is left to look after: who looks for what was cut off reads only
// those that are not. What many files have left in the stage is only set apart
// before the answer, and goes with [Engine.Clear].
//
// # One file
//
//	in the checkout        in the stage
//	old                    new/N                   staged, verified, recorded
//	(nothing)              new/N, old/N            the old one made way
//	new (= new/N)          new/N, old/N            the new one is linked in
//
// The old file makes way by a rename, and only then is looked at for the last
// time: what is in the stage is what was there. The new one comes by a link,
// which replaces nothing. boo knows its own file again by the inode that it
// shares with the stage; every other file it leaves alone.
package pending
