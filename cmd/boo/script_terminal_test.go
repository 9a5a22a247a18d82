package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// answers runs a program on a terminal of its own and presses a key at each
// question: answers KEYS program [arguments]. C is Ctrl-C. What it showed is in
// $WORK/screen then; the terminal has to be as it was before.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: answers KEYS program [arguments]")
	}
	term, err := newTerminal()
	ts.Check(err)
	defer term.close()
	before, err := term.modes()
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[1], args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), ts.Value(scriptEnv{}).(*testscript.Env).Vars
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.slave, term.slave, term.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for i, key := range strings.ReplaceAll(args[0], "C", "\x03") {
		if !term.press(byte(key), i+1, ended) {
			ts.Fatalf("question %d was not asked, or not answered by %q; the screen:\n%s", i+1, key, term.text())
		}
	}
	err = <-ended
	after, modesErr := term.modes()
	term.close() // all is read then
	ts.Check(os.WriteFile(ts.MkAbs(ts.Getenv("WORK")+"/screen"), []byte(term.text()), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("it ended with %v; the screen:\n%s", err, term.text())
	}
	if modesErr != nil || *after != *before {
		ts.Fatalf("the terminal is not as it was: %v\n%+v\n%+v", modesErr, before, after)
	}
}

// scriptEnv is the key of a script's environment among its values.
type scriptEnv struct{}

// terminal is both ends of a pseudo terminal.
type terminal struct {
	master, slave *os.File
	read          sync.WaitGroup
	mu            sync.Mutex
	screen        bytes.Buffer
}

func newTerminal() (*terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	t := &terminal{master: master}
	err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	var number int
	if err == nil {
		number, err = unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	}
	if err == nil {
		t.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(t.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	}
	if err != nil {
		_ = master.Close()
		return nil, err
	}
	t.read.Go(t.gather)
	return t, nil
}

// close also ends gather, once it has read all: a terminal without a slave ends.
func (t *terminal) close() {
	_ = t.slave.Close()
	t.read.Wait()
	_ = t.master.Close()
}

func (t *terminal) gather() {
	buf := make([]byte, 4096)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.screen.Write(buf[:n])
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

func (t *terminal) modes() (*unix.Termios, error) {
	return unix.IoctlGetTermios(int(t.slave.Fd()), unix.TCGETS)
}

// reads reports whether a program reads single keys.
func (t *terminal) reads() bool {
	modes, err := t.modes()
	return err == nil && modes.Lflag&unix.ICANON == 0
}

// press waits for a question and answers it, each second one with a key and Enter.
func (t *terminal) press(key byte, question int, ended <-chan error) bool {
	asked := func() int { return strings.Count(t.text(), "this? (") }
	if !within(waitTime, func() bool { return asked() >= question && t.reads() || len(ended) > 0 }) {
		return false
	}
	answered := func() bool { return !t.reads() || asked() > question || len(ended) > 0 }
	if answered() {
		return false
	}
	keys := []byte{key, '\r'}
	if _, err := t.master.Write(keys[:2-question%2]); err != nil {
		return false
	}
	return within(waitTime, answered)
}
