package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// ignoredFile is an ignored file as an archive keeps it, one "perm id path" in
// the list of modes: git itself would forget who may read it.
type ignoredFile struct {
	perm fs.FileMode // fs.ModeSymlink for a symlink
	id   orchestrator.ObjectID
	path string
}

func (f ignoredFile) line() string {
	return fmt.Sprintf("%o %s %s\x00", uint32(f.perm), f.id, f.path)
}

// putIgnored stores files byte for byte, whatever conversions are set, and adds
// them and the list of their modes to entries.
func putIgnored(objects *store, wt orchestrator.Worktree, files []string, entries map[orchestrator.Path]orchestrator.Entry) error {
	root, err := os.OpenRoot(string(wt.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	var lines strings.Builder
	for _, path := range files {
		f, err := putFile(objects, root, path)
		if err != nil {
			return err
		}
		lines.WriteString(f.line())
		mode := orchestrator.ModeRegular
		if f.perm == fs.ModeSymlink {
			mode = orchestrator.ModeSymlink
		}
		entries[join(keptFiles, path)] = orchestrator.Entry{Mode: mode, ID: f.id}
	}
	modes, err := objects.put(objectid.Blob, []byte(lines.String()))
	entries[keptModes] = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: modes}
	return err
}

func putFile(objects *store, root *os.Root, path string) (ignoredFile, error) {
	info, err := root.Lstat(path)
	if err != nil {
		return ignoredFile{}, err
	}
	f := ignoredFile{perm: info.Mode().Perm(), path: path}
	if info.Mode()&fs.ModeSymlink != 0 {
		f.perm = fs.ModeSymlink
		target, err := root.Readlink(path)
		if err != nil {
			return f, err
		}
		f.id, err = objects.put(objectid.Blob, []byte(target))
		return f, err
	}
	file, err := root.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	f.id, err = objects.putBlob(file, info.Size())
	return f, err
}

// bringIgnored writes the ignored files of an archive that are not there.
func (e *Engine) bringIgnored(ctx context.Context, wt orchestrator.Worktree, list string) error {
	root, err := os.OpenRoot(string(wt.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		parts := strings.SplitN(line, " ", 3)
		if len(parts) < 3 {
			return fmt.Errorf("the list of ignored files has %q", line)
		}
		perm, err := strconv.ParseUint(parts[0], 8, 32)
		if err != nil {
			return fmt.Errorf("the list of ignored files has %q", line)
		}
		f := ignoredFile{perm: fs.FileMode(perm), id: orchestrator.ObjectID(parts[1]), path: parts[2]}
		if err := e.bringFile(ctx, wt, root, f); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
	}
	return nil
}

// bringFile writes one file; fs.ErrExist if something is there already. It has
// its name only when it is whole.
func (e *Engine) bringFile(ctx context.Context, wt orchestrator.Worktree, root *os.Root, f ignoredFile) error {
	if _, err := root.Lstat(f.path); err == nil {
		return fs.ErrExist
	}
	if err := root.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	if f.perm == fs.ModeSymlink {
		var target strings.Builder
		if err := e.Blob(ctx, wt.CommonDir, f.id, &target); err != nil {
			return err
		}
		return root.Symlink(target.String(), f.path)
	}
	draft := f.path + ".boo-restoring"
	if err := gone(root.Remove(draft)); err != nil {
		return err
	}
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(e.Blob(ctx, wt.CommonDir, f.id, file), file.Chmod(f.perm), file.Sync(), file.Close()); err != nil {
		return err
	}
	return root.Rename(draft, f.path)
}

// gone is err, unless it says that something was not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// noIgnoredRepositories refuses a worktree with repositories among its ignored
// files, as far as these are looked at before they are kept.
func (e *Engine) noIgnoredRepositories(ctx context.Context, wt orchestrator.Worktree, found comparison) error {
	if found.snap.Verified && len(found.ignored) == 0 {
		return nil
	}
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	ignored, err := e.ignoredOfAll(ctx, r, found)
	looked := 0
	for _, path := range ignored {
		if err != nil {
			break
		}
		err = filepath.WalkDir(filepath.Join(string(wt.Dir), string(path)), func(at string, entry fs.DirEntry, err error) error {
			if looked++; err != nil || looked > mostLooked {
				return fs.SkipAll
			}
			return noRepository(wt, at, entry)
		})
	}
	return err
}

// noRepository refuses a path in a worktree that makes the directory above it a
// repository.
func noRepository(wt orchestrator.Worktree, at string, entry fs.DirEntry) error {
	if entry.Name() != ".git" {
		return nil
	}
	dir, err := filepath.Rel(string(wt.Dir), filepath.Dir(at))
	return cmp.Or(err, holdsRepository(wt, dir))
}
