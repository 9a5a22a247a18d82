// Package objects reads commits, trees and blobs of a repository, fast, from
// many goroutines, for as long as it is open.
//
// Three readers serve it, each for what it was measured to be better at. For
// trees and commits (a repository of 15,000 objects, packed; medians):
//
//	            in process (go-git)   long-lived git cat-file
//	first read      6 ms                    3 ms
//	a tree      0.010–0.015 ms             0.03 ms
//	a blob         0.15 ms                 0.07 ms
//
// So trees and commits are read in process. Blobs, of which a checkout needs
// many at once, are read from packs and loose files by a reader of boo's own,
// which uses all processors and does without the pipe. Git is asked for
// everything else, and for what the process does not find or cannot make sense
// of: packs that came after it opened, large blobs, an object store whose
// indexes are too large to hold in memory.
//
// It promises that content is what git has for the id, that an object that is
// not there is [ErrNotFound] and never an empty one, and that objects which
// git packs anew, or that come later, are found. Blobs are streamed.
//
//	callers ──▶ requests ──▶ helper goroutine ──▶ its git process
//	      ├───▶ store (one at a time) ──▶ go-git
//	      ╰───▶ stored ──▶ packs, loose files
//
// Each helper owns one process, which it starts at its first request and again
// after it broke. [Reader.Close] waits for helpers and processes.
//
// It refuses to know references, revisions and worktrees, and writes nothing.
package objects
