// Package dircache reads, edits and writes git's index file in process.
//
// It promises:
//
//   - [Read] understands versions 2, 3 and 4 of every index that git writes,
//     except split and sparse ones, which it refuses by an [*UnsupportedError].
//     Whatever else the bytes are, hostile ones too, the answer is an
//     [*CorruptError], and memory stays in proportion to the file.
//   - [Index.WriteFile] leaves a version 2 or 3 index with a checksum, put in
//     place by rename under git's own lock file.
//   - [Index.Match] never calls a file unchanged when git would not: stat data
//     are compared in nanoseconds, and a file that may have been written after
//     its entry was made, within the same tick of the clock, is [Unsure].
//
// # When is an entry racy?
//
// An entry is trusted only when its file's modification time lies before the
// moment as of which the index is true (see "racy git" in git's technical
// documentation), and its change time too: the former can be set back after an
// edit. git takes the index file's own modification time for that moment, and does
// not ask for the change time.
// This package therefore sets that time, when it writes, to the moment before
// the first file was looked at, not to the moment of writing:
//
//	first lstat     last lstat   index written
//	────┬──────────────┬──────────────┬──────▶ time
//	  AsOf                                      a file whose time is from here
//	    ╰── the index file gets this time ──    on is compared by content
//
// It refuses to know trees, objects and the files themselves: the caller
// brings stat data and ids. Extensions are dropped but for the tree cache,
// without which git would read every tree again at its next status.
//
// An [Index] belongs to one goroutine.
package dircache
