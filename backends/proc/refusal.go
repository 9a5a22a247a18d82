package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"boo/backends"
	"boo/orchestrator"
)

// explain turns the errno of a program that could not be executed into words.
// The kernel uses one errno for many causes, so the files are looked at again.
func explain(cmd backends.Command, errno syscall.Errno) error {
	return orchestrator.Errorf(orchestrator.CodeAgent, "cannot start %s: %s", cmd.Path, reason(cmd, errno)).
		WithHint("boo agents doctor")
}

func reason(cmd backends.Command, errno syscall.Errno) string {
	switch dir, err := os.Stat(cmd.Dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("its working directory %s is not there", cmd.Dir)
	case err == nil && !dir.IsDir():
		return fmt.Sprintf("its working directory %s is not a directory", cmd.Dir)
	}
	program, err := os.Stat(cmd.Path)
	interpreter := interpreterOf(cmd.Path)
	switch {
	case errno == syscall.ENOENT && err != nil:
		return "there is no such file"
	case err == nil && program.IsDir():
		return "it is a directory"
	case errno == syscall.ENOENT && interpreter != "":
		return fmt.Sprintf("it is a script for %s, which is not there", interpreter)
	case errno == syscall.ENOENT:
		return "the loader it was built for is not there: it is a program for another kind of system"
	case errno == syscall.EACCES && err == nil && program.Mode()&0o111 == 0:
		return "it is not executable"
	case errno == syscall.EACCES && interpreter != "":
		return fmt.Sprintf("it is a script for %s; one of the two may not be executed", interpreter)
	case errno == syscall.ENOEXEC:
		return "it is neither a program for this machine nor a script with a #! line"
	case errno == syscall.E2BIG:
		return "its arguments and environment are too large"
	}
	return errno.Error()
}

// interpreterOf returns the interpreter that a script's #! line names, or "".
func interpreterOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	line, _ := bufio.NewReader(file).ReadSlice('\n')
	rest, ok := strings.CutPrefix(string(line), "#!")
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		return fields[0]
	}
	return ""
}
