package proc_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
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
	// What has just closed Done may still be on its way out.
	if left := outlasting(soon, func() []struct{} {
		return make([]struct{}, max(0, len(descriptors(t, os.Getpid()))-fds))
	}); len(left) > 0 {
		t.Errorf("%d descriptors more than before", len(left))
	}
	if left := outlasting(soon, func() []struct{} {
		return make([]struct{}, max(0, runtime.NumGoroutine()-goroutines))
	}); len(left) > 0 {
		t.Errorf("%d goroutines more than before", len(left))
	}
	sentinel := sentinelOf(t, os.Getpid())
	if left := children(t, os.Getpid()); !slices.Equal(left, []int{sentinel}) {
		t.Errorf("children left: %v, besides the sentinel %d", left, sentinel)
	}
}
