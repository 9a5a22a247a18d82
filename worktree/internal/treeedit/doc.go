// Package treeedit rewrites the trees above a few changed paths.
//
// It promises that [Edit] yields, byte for byte, the trees that git would write
// from an index with the same edits, that only trees above an edited path are
// read, and that nothing is returned that was there before. Directories that
// become empty vanish; a file takes the place of a directory, and a directory
// that of a file.
//
// It refuses to know where objects are kept: trees come from a function and
// are handed back to the caller, children before parents. It stores nothing.
//
// It fails, changing nothing, on a tree that git's own checks would refuse
// ([*CorruptError]), and on an edit that no tree can hold ([*PathError]).
package treeedit
