// Package objects reads commits, trees and blobs of a repository, fast, from
// many goroutines, for as long as it is open.
//
// Two readers serve it, each for what it was measured to be better at (a
// repository of 15,000 objects, packed; medians):
//
//	            in process (go-git)   long-lived git cat-file
//	first read      6 ms                    3 ms
//	a tree      0.010–0.015 ms             0.03 ms
//	a blob         0.15 ms                 0.07 ms
//
// So trees and commits are read in process, everything else by git; and git is
// asked, too, for what the process does not find: packs that came after it
// opened, alternates, SHA-256, an object store whose indexes are too large to
// hold in memory.
//
// It promises that content is what git has for the id, that an object that is
// not there is [ErrNotFound] and never an empty one, and that objects which
// git packs anew, or that come later, are found. Blobs are streamed.
//
//	callers ──▶ requests ──▶ helper goroutine ──▶ its git process
//	      ╰───▶ store (one at a time) ──▶ go-git
//
// Each helper owns one process, which it starts at its first request and again
// after it broke. [Reader.Close] waits for helpers and processes.
//
// It refuses to know references, revisions and worktrees, and writes nothing.
package objects
