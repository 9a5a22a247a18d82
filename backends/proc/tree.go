package proc

import (
	"os"
	"strconv"
	"strings"
)

// Tree counts what lives below the supervisor, and the memory that it holds in
// bytes, as far as it can be seen. Its cost follows the size of the tree.
func (c *child) Tree() (processes int, memory int64) {
	c.mu.Lock()
	defer c.mu.Unlock() // the supervisor's pid is its own as long as it is not reaped
	if c.supervisor == 0 {
		return 0, 0
	}
	below := offspring(c.supervisor)
	for i := 0; i < len(below); i++ {
		below = append(below, offspring(below[i])...)
	}
	for _, pid := range below {
		memory += resident(pid)
	}
	return len(below), memory
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
