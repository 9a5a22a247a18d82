package backendtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/install"
	"boo/orchestrator"
)

// installTime bounds the installation of an agent over a slow line.
const installTime = 8 * time.Minute

// The environment and the cache as they were when the test binary began: tests
// give themselves other home directories, which know nothing of how npm
// reaches its registry here.
var (
	environ = os.Environ()
	cache   = cacheDir()
)

// Program returns the path of the program of a built-in agent, in the version
// that its definition pins. It is installed through npm at the first call on a
// machine, into a cache that all test packages and later runs share. The test
// fails if that does not succeed.
func Program(tb testing.TB, name orchestrator.AgentName) string {
	tb.Helper()
	once, _ := installs.LoadOrStore(name, sync.OnceValues(func() (string, error) { return installed(name) }))
	path, err := once.(func() (string, error))()
	if err != nil {
		tb.Fatalf("have the real %s: %v", name, err)
	}
	return path
}

// Data returns a data directory of boo's that a built-in agent is installed
// in; see [Program]. Tests leave it as it is.
func Data(tb testing.TB, name orchestrator.AgentName) string {
	tb.Helper()
	Program(tb, name)
	return cache
}

// installs has, for each agent, the func() (string, error) that installs it.
var installs sync.Map

func installed(name orchestrator.AgentName) (string, error) {
	all := backends.Builtin()
	i := slices.IndexFunc(all, func(d backends.Definition) bool { return d.Name == name })
	if i < 0 {
		return "", fmt.Errorf("boo knows no agent %s", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	return install.Installer{Data: cache, Environ: environ}.Install(ctx, all[i], nil)
}

// cacheDir is the person's cache, or the temporary directory where there is
// no home.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "boo-test-agents-"+strconv.Itoa(os.Getuid()))
	}
	return filepath.Join(dir, "boo-test-agents")
}
