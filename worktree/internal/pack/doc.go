// Package pack writes a set of new objects into a repository as one pack.
//
// It promises:
//
//   - The ids are git's, and git sees the objects as soon as [Writer.Commit]
//     has returned; by then the pack, its index and their directory entries are
//     on disk (fsync).
//   - An object that the repository has already, or that was added twice, is
//     not written again.
//   - No two packs have one name, whatever is in them: the .keep file of one
//     never guards, and its removal never gives away, another.
//   - A blob is never held in memory beyond [Buffered] bytes.
//   - What is not committed leaves nothing that git looks at: drafts, which
//     [DropDrafts] removes if boo dies before [Writer.Close].
//
// A writer's life:
//
//	New ──▶ Add…, AddBlob… (any number of goroutines) ──▶ Commit ──▶ Close
//	                                   ╰────── an error ───────────▶ Close
//
// It refuses to know how objects are read and which belong together; the caller
// says what exists. It computes no deltas: a turn's few objects are packed
// against the others later, by git.
//
// It fails as a whole: after an error from the disk every call returns it, and
// nothing becomes visible. A blob whose length is not the announced one is left
// out, and the rest goes on.
package pack
