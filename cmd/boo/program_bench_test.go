package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program builds boo as the README has a person build it, and returns its path.
func program(b *testing.B) string {
	b.Helper()
	boo := filepath.Join(b.TempDir(), "boo")
	build := exec.CommandContext(b.Context(), "go", "build", "-o", boo, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build boo: %v\n%s", err, out)
	}
	return boo
}
