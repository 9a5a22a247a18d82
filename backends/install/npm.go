package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"boo/backends"
)

// npmInstall lets npm install the package into staging.
func (i Installer) npmInstall(ctx context.Context, def backends.Definition, staging string, progress Progress) error {
	// npm looks for the root of a project upwards; this is one.
	root := filepath.Join(staging, "package.json")
	if err := os.WriteFile(root, []byte("{\"private\":true}\n"), 0o600); err != nil {
		return i.diskError(def, err)
	}
	npm, err := i.program(def, "npm")
	if err != nil {
		return err
	}
	said := &output{}
	cmd := exec.Command(npm, npmArgs(def, staging)...)
	cmd.Dir, cmd.Env = staging, i.npmEnviron()
	if node := i.node(def); node != "" {
		// On an older node npm takes older versions of what the package depends on.
		cmd.Env = append(slices.Clone(cmd.Env), "PATH="+filepath.Dir(node)+string(filepath.ListSeparator)+i.lookup("PATH"))
	}
	cmd.Stdout, cmd.Stderr = said, said
	result := make(chan error, 1)
	go func() { result <- runGroup(ctx, cmd) }()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case err := <-result:
			progress(size(staging), total(def), said.last())
			if err != nil {
				return i.npmError(ctx, def, err, said.tail())
			}
			return i.checkPackage(def, staging, said.tail())
		case <-ticker.C:
			progress(size(staging), total(def), said.last())
		}
	}
}

// npmArgs overrules what a person's npm configuration could turn into another
// place, another kind of installation or code that runs.
func npmArgs(def backends.Definition, staging string) []string {
	return []string{
		"install", "--prefix", staging, "--no-global", "--no-dry-run",
		"--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress",
		"--omit=dev", "--include=optional", "--include=prod", "--ignore-scripts",
		"--loglevel=http", "--color=false",
		def.Package.Name + "@" + def.Package.Version,
	}
}

// npmEnviron is the person's environment; npm's cache moves to the data
// directory where the home directory takes none.
func (i Installer) npmEnviron() []string {
	if i.lookup("npm_config_cache") != "" || i.lookup("NPM_CONFIG_CACHE") != "" || homeTakesCache(i.lookup("HOME")) {
		return i.Environ
	}
	return append(slices.Clone(i.Environ), "npm_config_cache="+filepath.Join(i.Data, "npm-cache"))
}

// homeTakesCache tries what npm will do: make its directory in the home, and a
// file in it.
func homeTakesCache(home string) bool {
	if !filepath.IsAbs(home) {
		return false
	}
	dir := filepath.Join(home, ".npm")
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return false
	}
	f, err := os.CreateTemp(dir, ".boo-")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// lookup returns a variable of the environment, "" if it is not set.
func (i Installer) lookup(name string) string {
	for _, entry := range slices.Backward(i.Environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
