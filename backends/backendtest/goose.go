package backendtest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/install"
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

// Goose returns the path of the real goose, in the version that its definition
// pins. It is installed through npm at the first call on a machine, into a
// cache that all test packages and later runs share. The test fails if that
// does not succeed.
func Goose(tb testing.TB) string {
	tb.Helper()
	path, err := installed()
	if err != nil {
		tb.Fatalf("have the real goose: %v", err)
	}
	return path
}

// GooseData returns a data directory of boo's that the real goose is installed
// in; see [Goose]. Tests leave it as it is.
func GooseData(tb testing.TB) string {
	tb.Helper()
	Goose(tb)
	return cache
}

// GooseDefinition returns the built-in definition of goose.
func GooseDefinition() backends.Definition {
	all := backends.Builtin()
	return all[slices.IndexFunc(all, func(d backends.Definition) bool { return d.Name == "goose" })]
}

var installed = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	return install.Installer{Data: cache, Environ: environ}.Install(ctx, GooseDefinition(), nil)
})

// cacheDir is the person's cache, or the temporary directory where there is
// no home.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "boo-test-agents-"+strconv.Itoa(os.Getuid()))
	}
	return filepath.Join(dir, "boo-test-agents")
}
