// Package treescan compares a work tree with an index, in process: one listing
// of every directory, one lstat of every file, by two goroutines.
//
// It promises that every tracked path that is gone is in [Result.Gone], that
// every tracked file of which stat data do not prove that it is unchanged is
// in [Result.Suspects], and that every other file or symlink is, by itself or
// with a directory above it that holds no tracked file, in [Result.Files] or
// [Result.Dirs]. Lists are in the order of their paths' bytes. Nothing is
// followed through a symlink, and no file is opened.
//
// It refuses to know what is ignored, what files hold, and repositories inside
// the tree: it fails with [ErrUnusual] on a nested .git, on a tracked path
// that became a pipe, socket or device, and where a directory changes under
// its hands or cannot be read. Its caller then uses git.
//
//	root ──▶ todo ──▶ workers: list, lstat, compare ──▶ found
//	           ▲                     │ directories        │ merge, sort
//	           ╰─────────────────────╯                    ╰──▶ Result
package treescan
