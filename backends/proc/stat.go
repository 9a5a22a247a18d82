package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// identity tells a process from every other one of the same boot.
type identity struct {
	pid   int
	start uint64 // clock ticks after boot
}

// process is one line of the process table.
type process struct {
	identity
	parent  int
	session int
	state   byte
	flags   int // PF_* of the kernel's sched.h, of the first thread
	threads int
}

// gone reports whether nothing of the process runs any more. A zombie whose
// first thread alone has ended still runs.
func (p process) gone() bool {
	return (p.state == 'Z' || p.state == 'X') && p.threads <= 1
}

// exiting is PF_EXITING of the kernel's sched.h: the thread runs none of its
// program's code any more.
const exiting = 0x4

// dying reports whether the process has only to be cleared away by the kernel.
// That can take a while: an inotify instance waits for a grace period of RCU.
func (p process) dying() bool {
	if p.flags&exiting == 0 {
		return false
	}
	tasks := "/proc/" + strconv.Itoa(p.pid) + "/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return false
	}
	for _, thread := range threads {
		if t, err := readStatFile(tasks + thread.Name() + "/stat"); err == nil && t.flags&exiting == 0 {
			return false
		}
	}
	return true
}

// readStat reads the line of one process.
func readStat(pid int) (process, error) {
	p, err := readStatFile("/proc/" + strconv.Itoa(pid) + "/stat")
	p.pid = pid
	return p, err
}

// readStatFile reads /proc/PID/stat; field numbers are those of proc_pid_stat(5).
func readStatFile(path string) (process, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return process{}, err
	}
	// Field 2, the name, is in parentheses and may hold anything, also ")".
	text := string(raw)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("read %s: unexpected form", path)
	}
	const first = 3 // number of the field that fields[0] is
	p := process{state: fields[0][0]}
	for field, to := range map[int]*int{4: &p.parent, 6: &p.session, 9: &p.flags, 20: &p.threads} {
		if *to, err = strconv.Atoi(fields[field-first]); err != nil {
			return process{}, fmt.Errorf("read %s: %w", path, err)
		}
	}
	if p.start, err = strconv.ParseUint(fields[22-first], 10, 64); err != nil {
		return process{}, fmt.Errorf("read %s: %w", path, err)
	}
	return p, nil
}

// processTable lists all processes that can be seen.
func processTable() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var table []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// An error means that it has ended since.
		if p, err := readStat(pid); err == nil {
			table = append(table, p)
		}
	}
	return table, nil
}
