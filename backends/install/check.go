package install

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"boo/backends"
)

// checkTime bounds one run of a program that is asked for its version.
const checkTime = time.Minute

// requirements checks before anything is loaded what the installation needs. A
// newer node than the machine has is installed beside.
func (i Installer) requirements(ctx context.Context, def backends.Definition, progress Progress) error {
	if _, err := i.program(def, "npm"); err != nil {
		return err
	}
	node, err := i.program(def, "node")
	if err != nil {
		return err
	}
	if err := i.checkSpace(def); err != nil {
		return err
	}
	if def.Package.Node == 0 || i.newEnough(ctx, def, node) {
		return nil
	}
	own := backends.Node()
	if major(own.Package.Version) < def.Package.Node {
		return i.agentError(def, "it needs node %d or newer, the one on PATH is older", def.Package.Node).
			WithHint("put node %d first on PATH, then: boo agents install %s", def.Package.Node, def.Name)
	}
	_, err = i.ensure(ctx, own, progress)
	return err
}

// newEnough asks a node for its version.
func (i Installer) newEnough(ctx context.Context, def backends.Definition, node string) bool {
	said, err := i.version(ctx, def, node)
	return err == nil && major(strings.TrimPrefix(strings.TrimSpace(said), "v")) >= def.Package.Node
}

// major returns the first number of a version, -1 if it has none.
func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	return n
}

// program finds a program of the installer's own on PATH.
func (i Installer) program(def backends.Definition, name string) (string, error) {
	for _, dir := range filepath.SplitList(i.lookup("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", i.agentError(def, "there is no %s on PATH, and boo installs agents through npm", name).
		WithHint("install Node.js, which brings npm, then: boo agents install %s", def.Name)
}

// checkPackage compares what npm installed with what was asked for.
func (i Installer) checkPackage(def backends.Definition, dir, said string) error {
	data, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(def.Package.Name), "package.json"))
	var has struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(data, &has)
	}
	switch {
	case npmFull().MatchString(said):
		// npm only warns of files that it could not unpack.
		return i.full(def, "npm could not unpack everything")
	case err != nil:
		return i.agentError(def, "npm ended well and left no package: %w", err)
	case has.Version != def.Package.Version:
		return i.agentError(def, "npm installed version %s, not %s", has.Version, def.Package.Version)
	}
	return nil
}

// check runs the program and compares the version that it says.
func (i Installer) check(ctx context.Context, def backends.Definition, program string) error {
	command := []string{program}
	if node := i.node(def); node != "" {
		command = []string{node, program}
	}
	said, err := i.version(ctx, def, command...)
	if err != nil {
		return i.agentError(def, "its program does not run on this machine: %w", err)
	}
	words := strings.FieldsFunc(said, func(r rune) bool {
		return r != '.' && r != '-' && r != '+' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if !slices.Contains(words, def.Package.Version) && !slices.Contains(words, "v"+def.Package.Version) {
		return i.agentError(def, "its program says version %.80q, not %s", strings.TrimSpace(said), def.Package.Version)
	}
	return nil
}

// version runs a program with --version and returns its output; of one that
// fails, the error tells the last line. It gets an empty home, so that it
// leaves nothing in the person's.
func (i Installer) version(ctx context.Context, def backends.Definition, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	home, err := os.MkdirTemp(filepath.Dir(def.InstallDir(i.Data)), stagingPrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	said := &output{}
	cmd := exec.Command(command[0], append(command[1:], "--version")...)
	cmd.Dir, cmd.Env = home, i.homed(home)
	cmd.Stdout, cmd.Stderr = said, said
	if err := runGroup(ctx, cmd); err != nil {
		return "", &runError{line: said.last(), err: err}
	}
	return said.tail(), nil
}

// node returns the node that boo has installed to run the agent, "" if none.
func (i Installer) node(def backends.Definition) string {
	if def.Package.Node == 0 {
		return ""
	}
	path, _, _ := i.Installed(backends.Node())
	return path
}

// homed returns the environment with another home directory.
func (i Installer) homed(home string) []string {
	env := slices.DeleteFunc(slices.Clone(i.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "XDG_") || strings.HasPrefix(entry, "HOME=")
	})
	return append(env, "HOME="+home)
}

// runError is how a program ended that did not end well.
type runError struct {
	line string // the last it said
	err  error
}

func (e *runError) Error() string {
	if e.line == "" {
		return e.err.Error()
	}
	return e.err.Error() + ": " + e.line
}

func (e *runError) Unwrap() error { return e.err }
