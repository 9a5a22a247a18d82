package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"boo/backends"
	"boo/orchestrator"
)

// syncFileSystem writes everything below dir out to the disk. One call for the
// file system costs less than one for each of thousands of files.
func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// size counts the bytes of the files below dir. What vanishes meanwhile does
// not count.
func size(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // a walk beside npm meets files that are gone again
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// checkSpace asks for the space of the installation before anything is loaded.
func (i Installer) checkSpace(def backends.Definition) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(i.Data, &stat); err != nil {
		return i.diskError(def, &fs.PathError{Op: "statfs", Path: i.Data, Err: err})
	}
	if free := int64(stat.Bavail) * stat.Bsize; free < total(def) {
		return i.full(def, "it needs %d MB, %d MB are free", def.Package.SizeMB, free>>20)
	}
	return nil
}

func (i Installer) full(def backends.Definition, format string, args ...any) error {
	err := orchestrator.Errorf(orchestrator.CodeFull, format, args...)
	return orchestrator.Errorf(orchestrator.CodeFull, "there is no space to install %s in %s: %w", def.Name, i.Data, err).
		WithHint("free some space, then: boo agents install %s", def.Name)
}

// diskError gives an error of the file system its code and advice.
func (i Installer) diskError(def backends.Definition, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return i.full(def, "%w", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return orchestrator.Errorf(orchestrator.CodeDenied, "boo may not write to its data directory, where %s is to be installed: %w", def.Name, err).
			WithHint("make %s writable for you, or set BOO_HOME to a directory that is", i.Data)
	}
	return orchestrator.Errorf(orchestrator.CodeInternal, "install %s: %w", def.Name, err)
}
