package proc_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"boo/backends/proc"
)

// TestMain lets the test binary also be the supervisor, and the programs of
// helper_test.go: "BINARY helper NAME ARGUMENT…".
func TestMain(m *testing.M) {
	proc.Main()
	if len(os.Args) > 2 && os.Args[1] == "helper" {
		run, ok := helpers[os.Args[2]]
		if !ok {
			fmt.Fprintln(os.Stderr, "no helper", os.Args[2])
			syscall.Exit(99)
		}
		run(os.Args[3:])
		syscall.Exit(0) // os.Exit takes a second under the race detector
	}
	os.Exit(m.Run())
}
