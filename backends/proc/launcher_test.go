package proc_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/backends"
	"boo/backends/proc"
)

func TestAgentTalksThroughItsPipes(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "cat")
	if _, err := io.WriteString(child.Stdin(), "hello\n"); err != nil {
		t.Fatal(err)
	}
	if err := child.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(child.Stdout())
	if err != nil || string(out) != "hello\n" {
		t.Fatalf("read %q, %v", out, err)
	}
	if exit := child.Exit(); exit != (backends.Exit{}) {
		t.Fatalf("exit %+v", exit)
	}
	if _, err := child.Stdin().Write([]byte("x")); err == nil {
		t.Fatal("writing to a dead agent succeeded")
	}
}

func TestExitTellsHowTheAgentEnded(t *testing.T) {
	t.Parallel()
	path := program(t)
	for _, c := range []struct {
		args []string
		want backends.Exit
	}{
		{[]string{"exit", "0"}, backends.Exit{}},
		{[]string{"exit", "1"}, backends.Exit{Code: 1}},
		{[]string{"exit", "137"}, backends.Exit{Code: 137}},
		{[]string{"suicide", "9"}, backends.Exit{Code: -1, Signal: "killed"}},
		{[]string{"suicide", "15"}, backends.Exit{Code: -1, Signal: "terminated"}},
	} {
		if got := launch(t, path, c.args...).Exit(); got != c.want {
			t.Errorf("%v: exit %+v, want %+v", c.args, got, c.want)
		}
	}
}

func TestStandardErrorIsDrainedAndItsTailKept(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "noise", fmt.Sprint(10<<20))
	<-child.Done()
	tail := child.Stderr()
	if len(tail) != 4<<10 || !strings.HasSuffix(tail, "e\nthe last line\n") {
		t.Fatalf("tail of %d bytes ends in %q", len(tail), tail[max(0, len(tail)-20):])
	}
}

func TestOutputCanBeReadAfterTheEnd(t *testing.T) {
	t.Parallel()
	const size = 60_000
	child := launch(t, program(t), "output", fmt.Sprint(size))
	<-child.Done()
	out, err := io.ReadAll(child.Stdout())
	if err != nil || len(out) != size {
		t.Fatalf("read %d bytes, %v", len(out), err)
	}
	if n, err := child.Stdout().Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("after the end: %d, %v", n, err)
	}
}

func TestAgentGetsTheEnvironmentDirectoryAndTagOnly(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Not UTF-8, as a directory's name may be.
	dir = filepath.Join(dir, "caf\xe9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := command(program(t), "environ")
	cmd.Env, cmd.Dir = []string{proc.TagVariable + "=stale"}, dir
	child, err := proc.Launcher{}.Launch(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(child.Stdout())
	want := child.Identity().Tag + "  " + dir + "\n"
	if err != nil || string(out) != want {
		t.Fatalf("got %q, %v; want %q", out, err, want)
	}
	<-child.Done()
}

func TestAgentGetsThreeBlockingDescriptorsAndNoMore(t *testing.T) {
	t.Parallel()
	// One that a careless parent of boo's would leave open.
	stray, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(stray) }()

	// Not a Go program: their runtime opens descriptors of its own.
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	child, err := proc.Launcher{}.Launch(t.Context(), backends.Command{Path: cat, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer end(t, child, 0)
	if _, err := io.WriteString(child.Stdin(), "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(child.Stdout(), make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	pid := child.Identity().PID
	for _, fd := range []int{0, 1, 2} {
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
		if err != nil {
			t.Fatal(err)
		}
		var pos int64
		var flags int
		if _, err := fmt.Sscanf(string(info), "pos: %d\nflags: %o", &pos, &flags); err != nil {
			t.Fatal(err)
		}
		if flags&syscall.O_NONBLOCK != 0 {
			t.Errorf("descriptor %d does not block", fd)
		}
	}
	for _, entry := range descriptors(t, pid) {
		if entry.fd > 2 {
			t.Errorf("descriptor %d is %s", entry.fd, entry.to)
		}
	}
}

type descriptor struct {
	fd int
	to string
}

func descriptors(t *testing.T, pid int) []descriptor {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []descriptor
	for _, entry := range entries {
		var d descriptor
		if _, err := fmt.Sscan(entry.Name(), &d.fd); err != nil {
			t.Fatal(err)
		}
		// An error means that it has been closed since.
		if d.to, err = os.Readlink(filepath.Join(dir, entry.Name())); err == nil {
			list = append(list, d)
		}
	}
	return list
}

func TestSupervisorShowsInPs(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "cat")
	pid := parent(t, child.Identity().PID)
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || string(line) != "boo-supervisor\x00"+path+"\x00" {
		t.Errorf("command line %q, %v", line, err)
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || string(name) != "boo-supervisor\n" {
		t.Errorf("name %q, %v", name, err)
	}
}
