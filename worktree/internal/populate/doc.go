// Package populate writes the files of a tree into an empty directory, faster
// than git does, and makes the index that belongs to them.
//
// A file comes from a template, another work tree of the repository, when the
// template's index has the same object at the same path and stat data prove
// that the file still holds it; it is then shared (FICLONE) where the file
// system can, and copied elsewhere. All other files come from the object store.
//
//	walker: reads trees, makes directories ──▶ jobs ──▶ workers: files
//	                                                      │ entries
//	                                         index ◀──────╯
//
// It promises that every file holds its object's bytes, that the index is true
// for exactly these files, that no entry of it is racy (files get modification
// times from before the run), so that the first "git status" compares no
// content, and that nothing is followed through a symlink or written outside
// the directory.
//
// Measured against "git worktree add" on two cores, 90,000 files of 10 kB, it
// takes 0.41 of the time from a template. From packed objects it takes 0.7,
// 10,000 files, on a machine that is busy otherwise.
//
// It refuses to know end-of-line conversion, encodings and filters: the caller
// uses it only where none applies, and calls git elsewhere. Submodules become
// empty directories, as with git.
//
// It fails on the first error and leaves what it has written to its caller to
// remove. A directory that is not empty makes it fail where a name is taken.
// Nothing is synced: a worktree can be made again.
package populate
