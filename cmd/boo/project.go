package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"

	"boo/orchestrator"
)

// projectFile is the name of what a repository says to boo.
const projectFile = ".boo.toml"

const (
	projectLimit = 1 << 20 // bytes of the file
	commandLimit = 10 * time.Minute
)

// projectText is .boo.toml.
type projectText struct {
	Worktree struct {
		Setup    []string `toml:"setup"`
		Teardown []string `toml:"teardown"`
		EnvPass  []string `toml:"env_pass"`
		Limit    patience `toml:"limit"`
		Include  []string `toml:"include"`
		Sparse   []string `toml:"sparse"`
	} `toml:"worktree"`
	Checks map[string]any `toml:"checks"`
}

// patience is a time as "10m" says it.
type patience time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *patience) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err == nil && parsed <= 0 {
		err = fmt.Errorf("%q is no time to wait", text)
	}
	*d = patience(parsed)
	return err
}

// projects reads project files. It implements orchestrator.Projects.
type projects struct{}

// Project reads .boo.toml at the top of a checkout.
func (projects) Project(_ context.Context, dir orchestrator.CheckoutDir) (orchestrator.Project, error) {
	path := filepath.Join(string(dir), projectFile)
	text, err := readRegular(path, projectLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return orchestrator.Project{}, nil
	}
	if err != nil {
		return orchestrator.Project{}, orchestrator.Errorf(orchestrator.CodeInvalid, "read %s: %w", path, err)
	}
	var p projectText
	if err := decodeStrictly(path, string(text), &p); err != nil {
		return orchestrator.Project{}, err
	}
	invalid := func(line int, format string, args ...any) (orchestrator.Project, error) {
		return orchestrator.Project{}, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: %s", path, line, fmt.Sprintf(format, args...))
	}
	w := p.Worktree
	for _, sparse := range w.Sparse {
		if _, err := orchestrator.ParsePath(strings.TrimSuffix(sparse, "/")); err != nil {
			return invalid(lineOf(string(text), toml.Key{"worktree", "sparse"}), "sparse: %v", err)
		}
	}
	project := orchestrator.Project{
		Setup: w.Setup, Teardown: w.Teardown, EnvPass: w.EnvPass, Limit: cmp.Or(time.Duration(w.Limit), commandLimit),
		Include: w.Include, Sparse: w.Sparse,
	}
	if key, err := p.checksOf(&project); err != nil {
		return invalid(lineOf(string(text), toml.Key{"checks", key}), "checks.%s: %v", key, err)
	}
	return project, nil
}

// What [checks] says beside its checks, and so no check is called.
const (
	checksRequire = "require"
	checksLimit   = "limit"
)

// checksOf reads the table of checks. The key is what an error is about.
func (p projectText) checksOf(project *orchestrator.Project) (key string, err error) {
	limit := patience(commandLimit)
	for _, key := range slices.Sorted(maps.Keys(p.Checks)) {
		value := p.Checks[key]
		text, isText := value.(string)
		switch {
		case key == checksRequire:
			required, ok := value.(bool)
			if !ok {
				return key, errors.New("it is true or false")
			}
			project.RequireChecks = required
		case key == checksLimit && isText:
			if err := limit.UnmarshalText([]byte(text)); err != nil {
				return key, err
			}
		case !isText || strings.TrimSpace(text) == "":
			return key, errors.New("it is no command")
		default:
			project.Checks = append(project.Checks, orchestrator.Check{Name: key, Command: text})
		}
	}
	if project.RequireChecks && len(project.Checks) == 0 {
		return checksRequire, errors.New("there is no check")
	}
	project.CheckLimit = time.Duration(limit)
	return "", nil
}

// readRegular reads a file that is one: what stands in a checkout may have come
// there from an agent.
func readRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has more than %d bytes", limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
