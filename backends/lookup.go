package backends

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// Source says where an agent's program was found.
type Source string

// The sources, in the order they are asked.
const (
	SourceConfig    Source = "config"    // the command of the configuration
	SourcePath      Source = "path"      // the person's PATH
	SourceInstalled Source = "installed" // boo's own directory
)

// Found is an agent's program on this machine.
type Found struct {
	Path    string `json:"path"` // absolute
	Source  Source `json:"source"`
	Version string `json:"version,omitempty"` // pinned version, where boo installed it
	// Node runs the program, where boo installed a node beside it; "" if it
	// runs by itself.
	Node string `json:"node,omitempty"`
}

// advise has the advice of a definition name the program as the person can
// type it: one that is not on PATH needs its whole path.
func (f Found) advise(def Definition) Definition {
	if f.Source == SourcePath {
		return def
	}
	words := f.Path
	if f.Node != "" {
		words = f.Node + " " + f.Path
	}
	def.Quirks.Setup = slices.Clone(def.Quirks.Setup)
	for i, setup := range def.Quirks.Setup {
		if rest, ok := strings.CutPrefix(setup.Hint, def.Program+" "); ok {
			def.Quirks.Setup[i].Hint = words + " " + rest
		}
	}
	return def
}

// command returns what is to be started.
func (f Found) command(args []string) (path string, all []string) {
	if f.Node == "" {
		return f.Path, args
	}
	return f.Node, append([]string{f.Path}, args...)
}

// find looks for the program of a definition. configured says that its
// command comes from the configuration.
func find(def Definition, configured bool, data string, environ []string) (Found, error) {
	if path, ok := lookPath(def.Program, environ); ok {
		source := SourcePath
		if configured {
			source = SourceConfig
		}
		return Found{Path: path, Source: source}, nil
	}
	if configured {
		return Found{}, orchestrator.Errorf(orchestrator.CodeAgent,
			"the command that the configuration gives for agent %s is not there or not executable: %s", def.Name, def.Program).
			WithHint("boo agents ls")
	}
	if path := def.InstalledProgram(data); path != "" && executable(path) {
		found := Found{Path: path, Source: SourceInstalled, Version: def.Package.Version}
		if node := Node().InstalledProgram(data); def.Package.Node > 0 && executable(node) {
			found.Node = node
		}
		return found, nil
	}
	err := orchestrator.Errorf(orchestrator.CodeAgent, "agent %s is not installed: there is no %s on PATH and none in boo's own directory", def.Name, def.Program)
	if def.Package.Name != "" {
		err = err.WithHint("boo agents install %s", def.Name)
	}
	return Found{}, err
}

// lookPath finds a program as a shell does, but takes no relative directory of
// PATH: what runs must not depend on where the command was typed.
func lookPath(program string, environ []string) (string, bool) {
	if strings.ContainsRune(program, filepath.Separator) {
		return program, filepath.IsAbs(program) && executable(program)
	}
	if program == "" {
		return "", false
	}
	for _, dir := range filepath.SplitList(lookupEnv(environ, "PATH")) {
		path := filepath.Join(dir, program)
		if filepath.IsAbs(dir) && executable(path) {
			return path, true
		}
	}
	return "", false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
