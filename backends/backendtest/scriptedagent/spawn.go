package scriptedagent

import (
	"os"
	"strconv"
	"syscall"
)

// shell runs a command in dir and returns how it ended. When cancelled closes,
// the command's process group is killed.
func shell(cancelled <-chan struct{}, dir, command string) (status string, err error) {
	p, err := spawn(dir, command, &syscall.SysProcAttr{Setpgid: true})
	if err != nil {
		return "", err
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
		case <-cancelled:
			_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
		}
	}()
	state, err := p.Wait()
	close(ended)
	<-watched
	if err != nil {
		return "", err
	}
	return state.String(), nil
}

// orphan starts a process in a session of its own that ignores TERM, and
// returns its process id. Nobody waits for it.
func orphan(dir string) (pid string, err error) {
	p, err := spawn(dir, "trap '' TERM HUP INT; while :; do sleep 1000; done", &syscall.SysProcAttr{Setsid: true})
	if err != nil {
		return "", err
	}
	pid = strconv.Itoa(p.Pid)
	return pid, p.Release()
}

func spawn(dir, command string, attr *syscall.SysProcAttr) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess("/bin/sh", []string{"sh", "-c", command},
		&os.ProcAttr{Dir: dir, Files: []*os.File{null, null, null}, Sys: attr})
}
