// Package linemerge merges three texts line by line, in memory.
//
// It promises the result of git merge-file(1) without options, byte for byte,
// of the texts that it takes: which lines an edit is made of, which edits
// collide, and what a conflict looks like depends on many small choices, and
// they are git's here (git's xdiff directory describes them). The tests hold it
// to git on random texts.
//
// It refuses to know where the texts come from, and to guess: of two texts that
// have very little in common git compares only a part, and [Merge] reports false
// there; the caller asks git. So it does of texts that git takes for binary, and of
// very large ones.
//
// # The way
//
//	lines ─ number ─▶ ids ─ diff ─▶ changed lines ─ compact ─▶ edits of each side
//	edits of both sides ─ weave ─▶ regions ─ refine ─▶ regions ─ Text ─▶ bytes
//
// A region is the part of one side, or of the other, or a collision. Collisions
// are then cut down to the lines that really differ, and those that lie close
// together are joined again.
package linemerge
