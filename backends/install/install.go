package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// Installer installs agents below a data directory. Its methods may be called
// concurrently, also by several processes.
type Installer struct {
	Data    string   // boo's data directory, absolute; made when it is missing
	Environ []string // the person's environment, "NAME=value"
}

// Progress is told twice a second how far an installation is: the bytes on
// disk, the bytes that are expected in the end, and npm's last line, or what is
// waited for. It is called by one goroutine at a time.
type Progress = func(done, total int64, line string)

// interval is the time between two calls of [Progress].
const interval = 500 * time.Millisecond

const (
	stagingPrefix = ".staging-"
	oldPrefix     = ".old-"
)

// Install installs the package of def, unless it is there and its program
// says the right version, and returns the program's path. When it returns nil
// the installation is on disk; on error what was installed before is still
// there, unless it was damaged. progress may be nil.
func (i Installer) Install(ctx context.Context, def backends.Definition, progress Progress) (string, error) {
	if def.Package.Name == "" {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "boo knows no package to install agent %s from", def.Name)
	}
	if progress == nil {
		progress = func(int64, int64, string) {}
	}
	agents := filepath.Join(i.Data, "agents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		return "", i.diskError(def, err)
	}
	unlock, err := lock(ctx, filepath.Join(agents, ".lock"), func() {
		progress(0, total(def), "waiting for another installation to end")
	})
	if err != nil {
		return "", i.stopped(ctx, def, i.diskError(def, err))
	}
	defer unlock()
	return i.ensure(ctx, def, progress)
}

// ensure is Install with the lock held.
func (i Installer) ensure(ctx context.Context, def backends.Definition, progress Progress) (string, error) {
	parent := filepath.Dir(def.InstallDir(i.Data))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", i.diskError(def, err)
	}
	if err := sweep(parent); err != nil {
		return "", i.diskError(def, err)
	}
	if path, _, ok := i.Installed(def); ok && i.check(ctx, def, path) == nil {
		return path, nil
	}
	if err := i.replace(ctx, def, progress); err != nil {
		return "", i.stopped(ctx, def, err)
	}
	return def.InstalledProgram(i.Data), nil
}

// Installed reports where the agent's program is, if it is installed and looks
// whole. It starts nothing, and sees no damage that leaves the size as it was.
func (i Installer) Installed(def backends.Definition) (path, version string, ok bool) {
	path = def.InstalledProgram(i.Data)
	if path == "" {
		return "", "", false
	}
	m, err := readManifest(def.InstallDir(i.Data))
	if err != nil || m != manifestOf(def, path) {
		return "", "", false
	}
	return path, m.Version, true
}

// replace makes a new installation beside, and puts it in place.
func (i Installer) replace(ctx context.Context, def backends.Definition, progress Progress) error {
	if err := i.requirements(ctx, def, progress); err != nil {
		return err
	}
	final := def.InstallDir(i.Data)
	staging, err := os.MkdirTemp(filepath.Dir(final), stagingPrefix)
	if err != nil {
		return i.diskError(def, err)
	}
	defer os.RemoveAll(staging) // what fails to go, the next run sweeps
	if err := i.npmInstall(ctx, def, staging, progress); err != nil {
		return err
	}
	program := filepath.Join(staging, strings.TrimPrefix(def.InstalledProgram(i.Data), final))
	if err := i.check(ctx, def, program); err != nil {
		return err
	}
	progress(total(def), total(def), "writing to disk")
	if err := writeManifest(staging, manifestOf(def, program)); err != nil {
		return i.diskError(def, err)
	}
	if err := publish(staging, final); err != nil {
		return i.diskError(def, err)
	}
	return nil
}

// publish puts a finished staging directory in the place of whatever is there.
func publish(staging, final string) error {
	if err := syncFileSystem(staging); err != nil {
		return err
	}
	parent := filepath.Dir(final)
	if _, err := os.Lstat(final); err == nil {
		old, err := os.MkdirTemp(parent, oldPrefix)
		if err != nil {
			return err
		}
		defer os.RemoveAll(old)
		if err := os.Rename(final, filepath.Join(old, "was")); err != nil {
			return err
		}
	}
	if err := os.Rename(staging, final); err != nil {
		return err
	}
	return syncFileSystem(parent)
}

// sweep removes what earlier runs left behind. The caller holds the lock, so
// nobody works in it any more.
func sweep(dir string) error {
	for _, prefix := range []string{stagingPrefix, oldPrefix} {
		left, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
		if err != nil {
			return err
		}
		for _, path := range left {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func total(def backends.Definition) int64 { return int64(def.Package.SizeMB) << 20 }

// stopped turns the error of an installation that was asked to stop into one
// that says so.
func (i Installer) stopped(ctx context.Context, def backends.Definition, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeInterrupted, "the installation of %s was stopped; nothing of it was kept", def.Name).
		WithHint("boo agents install %s", def.Name)
}
