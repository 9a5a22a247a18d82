package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"boo/backends"
)

// Descriptors that the supervisor is started with besides 0, 1 and 2.
const (
	ordersFD  = 3 // read: one command, then orders; end of file ends everything
	reportsFD = 4 // write
)

var errNUL = errors.New("a NUL byte in path, directory, argument or environment")

// encodeCommand puts cmd into the form "run LENGTH\n" and LENGTH bytes: its
// strings, which are not always UTF-8, separated by NUL.
func encodeCommand(cmd backends.Command) ([]byte, error) {
	fields := []string{cmd.Path, cmd.Dir, strconv.Itoa(len(cmd.Args))}
	fields = append(fields, cmd.Args...)
	fields = append(fields, cmd.Env...)
	body := strings.Join(fields, "\x00")
	if strings.Count(body, "\x00") != len(fields)-1 {
		return nil, errNUL
	}
	return fmt.Appendf(nil, "run %d\n%s", len(body), body), nil
}

func readCommand(r *bufio.Reader) (backends.Command, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return backends.Command{}, err
	}
	var size int
	if _, err := fmt.Sscanf(line, "run %d\n", &size); err != nil {
		return backends.Command{}, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return backends.Command{}, err
	}
	fields := strings.Split(string(body), "\x00")
	if len(fields) < 3 {
		return backends.Command{}, io.ErrUnexpectedEOF
	}
	args, err := strconv.Atoi(fields[2])
	if err != nil || args > len(fields)-3 {
		return backends.Command{}, io.ErrUnexpectedEOF
	}
	rest := fields[3:]
	return backends.Command{Path: fields[0], Dir: fields[1], Args: rest[:args], Env: rest[args:]}, nil
}

// endOrder orders the supervisor to end the tree.
func endOrder(grace time.Duration) string {
	return fmt.Sprintf("end %d\n", max(grace, 0).Milliseconds())
}

// readOrders passes the grace of every order on, and that for orphans when
// the launching process is gone.
func readOrders(r *bufio.Reader, orders chan<- time.Duration) {
	for {
		line, err := r.ReadString('\n')
		var ms int64
		if err == nil {
			_, err = fmt.Sscanf(line, "end %d\n", &ms)
		}
		if err != nil {
			orders <- orphanGrace
			return
		}
		orders <- time.Duration(ms) * time.Millisecond
	}
}

// Reports of the supervisor. Each is one line.
const (
	startedReport = "started %d %d\n" // pid and start time of the agent
	refusedReport = "refused %d\n"    // errno of chdir or exec
	exitedReport  = "exited %d %d\n"  // exit status, and signal or 0; the last one
)

func exitReport(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf(exitedReport, -1, status.Signal())
	}
	return fmt.Sprintf(exitedReport, status.ExitStatus(), 0)
}

func parseExit(line string) (backends.Exit, bool) {
	var code, signal int
	if _, err := fmt.Sscanf(line, exitedReport, &code, &signal); err != nil {
		return backends.Exit{}, false
	}
	if signal != 0 {
		return backends.Exit{Code: -1, Signal: syscall.Signal(signal).String()}, true
	}
	return backends.Exit{Code: code}, true
}
