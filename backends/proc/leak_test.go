package proc_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Not parallel: it counts what the whole process has.
func TestFiftyLaunchesLeaveNothingInTheParent(t *testing.T) {
	path := program(t)
	one := func(args ...string) {
		child := launch(t, path, args...)
		if _, err := io.ReadAll(child.Stdout()); err != nil {
			t.Fatal(err)
		}
		<-child.Done()
	}
	one("exit", "0")
	fds, goroutines := len(descriptors(t, os.Getpid())), runtime.NumGoroutine()
	for i := range 50 {
		one("exit", fmt.Sprint(i))
	}
	if now := len(descriptors(t, os.Getpid())); now > fds {
		t.Errorf("%d descriptors, %d before", now, fds)
	}
	// One that has just closed Done may still be on its way out.
	if left := outlasting(soon, func() []struct{} {
		return make([]struct{}, max(0, runtime.NumGoroutine()-goroutines))
	}); len(left) > 0 {
		t.Errorf("%d goroutines more than before", len(left))
	}
	if zombies := children(t); len(zombies) > 0 {
		t.Errorf("children left: %v", zombies)
	}
}

func children(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) {
			found = append(found, file)
		}
	}
	return found
}
