// Package safeopen looks at files below one directory without ever leaving it.
//
// An agent may change the tree while it is read: put a symlink where a
// directory was, a named pipe where a file was, or write on. This package
// promises that no path is followed through a symlink, upwards, or through
// /proc's magic links; that nothing but a regular file is ever opened for
// reading, and opening never blocks; and that a reader can find out whether the
// file was written meanwhile.
//
// The kernel does the work in one call, openat2(2) of Linux 5.6. Where that is
// not there (an old kernel, a container's filter) the path is walked part by
// part, each opened below the one before with O_NOFOLLOW, which comes to the
// same.
//
// It refuses to know git and what files mean.
//
// It fails with an error that wraps [ErrSymlink] where a directory of the path
// is a symlink, [ErrNotRegular] where the file is of another kind, fs.ErrNotExist
// where nothing is, also because a file stands where a directory should, and
// [ErrOutside] for a path that is not one below the root.
package safeopen
