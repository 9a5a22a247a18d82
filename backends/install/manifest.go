package install

import (
	"encoding/json"
	"os"
	"path/filepath"

	"boo/backends"
)

// manifest is written last into an installation: without one that still fits,
// it is not whole.
type manifest struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Program int64  `json:"program_bytes"`
}

const manifestName = "installed.json"

// manifestOf returns the manifest that the program at path should have, with
// no size if it is no program.
func manifestOf(def backends.Definition, path string) manifest {
	m := manifest{Package: def.Package.Name, Version: def.Package.Version, Program: -1}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		m.Program = info.Size()
	}
	return m
}

func readManifest(dir string) (manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return manifest{}, err
	}
	var m manifest
	err = json.Unmarshal(data, &m)
	return m, err
}

func writeManifest(dir string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestName), append(data, '\n'), 0o600)
}
