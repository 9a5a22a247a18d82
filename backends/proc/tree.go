package proc

import (
	"os"
	"strconv"
	"strings"
	"time"

	"boo/backends"
)

// Tree tells what lives below the supervisor, as far as it can be seen. Its cost
// follows the size of the tree.
func (c *child) Tree() backends.TreeUse {
	c.mu.Lock()
	defer c.mu.Unlock() // the supervisor's pid is its own as long as it is not reaped
	if c.supervisor == 0 {
		return backends.TreeUse{}
	}
	below := offspring(c.supervisor)
	for i := 0; i < len(below); i++ {
		below = append(below, offspring(below[i])...)
	}
	use := backends.TreeUse{Processes: len(below)}
	_, use.CPU = worked(c.supervisor) // that of those it has reaped
	for _, pid := range below {
		own, reaped := worked(pid)
		use.Memory += resident(pid)
		use.CPU += own + reaped
	}
	return use
}

// offspring lists the children of a process: the kernel keeps them by thread.
func offspring(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil // it has ended
	}
	var pids []int
	for _, thread := range threads {
		list, _ := os.ReadFile(tasks + thread.Name() + "/children") // one that has ended has none
		for _, field := range strings.Fields(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// resident returns the memory of one process, see proc_pid_statm(5).
func resident(pid int) int64 {
	statm, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// Times in /proc are counted in ticks, of which Linux shows every program a
// hundred to the second.
const tick = time.Second / 100

// worked returns the processor time of one process and that of the children it
// has waited for; see proc_pid_stat(5).
func worked(pid int) (own, reaped time.Duration) {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const first = 3 // number of the field that fields[0] is
	if len(fields) <= 17-first {
		return 0, 0 // it has ended
	}
	ticks := func(field int) time.Duration {
		n, _ := strconv.ParseInt(fields[field-first], 10, 64)
		return time.Duration(n) * tick
	}
	return ticks(14) + ticks(15), ticks(16) + ticks(17)
}
