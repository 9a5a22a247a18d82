package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"boo/backends"
	"boo/backends/proc"
)

// helpers are the programs that tests start: agents of every kind of manners.
var helpers map[string]func(args []string)

func init() {
	helpers = map[string]func(args []string){
		"cat":      func([]string) { must(io.Copy(os.Stdout, os.Stdin)) },
		"exit":     func(args []string) { syscall.Exit(number(args[0])) },
		"suicide":  func(args []string) { _ = unix.Kill(os.Getpid(), syscall.Signal(number(args[0]))); wait() },
		"polite":   func([]string) { announce("polite"); wait() },
		"deaf":     deaf,
		"family":   family,
		"forks":    forks,
		"storm":    storm,
		"holder":   holder,
		"doubled":  func([]string) { spawn(&syscall.SysProcAttr{Setsid: true}, os.Environ(), "deaf") },
		"noise":    noise,
		"parts":    parts,
		"output":   func(args []string) { must(os.Stdout.Write(bytes.Repeat([]byte("x"), number(args[0])))) },
		"environ":  func([]string) { fmt.Println(os.Getenv(proc.TagVariable), os.Getenv("GOMAXPROCS"), must(os.Getwd())) },
		"launcher": launcher,
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func number(s string) int { return must(strconv.Atoi(s)) }

// wait waits for a signal that ends the process.
func wait() {
	for {
		_ = unix.Pause()
	}
}

// announce prints "member NAME PID START" on standard output.
func announce(name string) {
	self := proc.Table{}.Self()
	fmt.Printf("member %s %d %d\n", name, self.PID, self.StartTime)
}

func deaf([]string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	announce("deaf")
	wait()
}

// spawn starts a helper that shares all of our descriptors.
func spawn(attr *syscall.SysProcAttr, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"helper"}, args...)...)
	cmd.Env, cmd.SysProcAttr = env, attr
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// familySize is how many lines family announces, itself included.
const familySize = 6

// family starts one of each: well-behaved, deaf to TERM, in a session of its
// own, twice forked, and without its environment.
func family([]string) {
	signal.Ignore(syscall.SIGTERM)
	spawn(nil, os.Environ(), "polite")
	spawn(nil, os.Environ(), "deaf")
	spawn(&syscall.SysProcAttr{Setsid: true}, os.Environ(), "deaf")
	_ = spawn(nil, os.Environ(), "doubled").Wait()
	spawn(nil, []string{"CLEARED=1"}, "deaf")
	announce("family")
	wait()
}

// parts starts a process that is twice forked and one that is not, each with an
// entry of its own in its environment.
func parts([]string) {
	_ = spawn(nil, append(os.Environ(), "PART=a"), "doubled").Wait()
	spawn(nil, append(os.Environ(), "PART=b"), "deaf")
	announce("parts")
	wait()
}

// forks starts as many deaf children as it is told.
func forks(args []string) {
	for range number(args[0]) {
		spawn(&syscall.SysProcAttr{Setpgid: true}, os.Environ(), "deaf")
	}
	announce("forks")
	wait()
}

// storm never stops to start new processes, each in a session of its own.
func storm([]string) {
	signal.Ignore(syscall.SIGTERM)
	announce("storm")
	for {
		_ = spawn(&syscall.SysProcAttr{Setsid: true}, os.Environ(), "exit", "0").Wait()
	}
}

// holder exits at once and leaves a child that keeps standard output open.
func holder([]string) {
	spawn(&syscall.SysProcAttr{Setsid: true}, os.Environ(), "deaf")
	fmt.Println("last words")
	syscall.Exit(3)
}

// noise writes as many bytes to standard error as it is told, then a last line.
func noise(args []string) {
	line := append(bytes.Repeat([]byte("e"), 1023), '\n')
	for range number(args[0]) / len(line) {
		must(os.Stderr.Write(line))
	}
	fmt.Fprintln(os.Stderr, "the last line")
}

// launcher launches the program and helper that its arguments name, prints pid
// and tag of it, and passes on what it says.
func launcher(args []string) {
	child := must(proc.Launcher{}.Launch(context.Background(), backends.Command{
		Path: args[0], Args: append([]string{"helper"}, args[1:]...), Env: os.Environ(), Dir: "/",
	}))
	fmt.Println("agent", child.Identity().PID, child.Identity().Tag)
	must(io.Copy(os.Stdout, child.Stdout()))
}
