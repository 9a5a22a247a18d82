package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// Within lists the processes that work in dir: their working directory is in
// there, or a file that they have open. This process itself is left out.
func (Table) Within(dir string) ([]orchestrator.Inhabitant, error) {
	table, err := processTable()
	if err != nil {
		return nil, err
	}
	var found []orchestrator.Inhabitant
	for _, p := range table {
		if p.pid == os.Getpid() || !worksIn(p.pid, dir) {
			continue
		}
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/comm") // it may have ended since
		tag, _ := tagOf(p.pid)
		found = append(found, orchestrator.Inhabitant{PID: p.pid, Name: strings.TrimSpace(string(name)), Tag: tag})
	}
	return found, nil
}

// worksIn reports whether a process can be seen to work in dir. The links of
// other people's processes cannot be read.
func worksIn(pid int, dir string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	if at, err := os.Readlink(proc + "/cwd"); err == nil && below(at, dir) {
		return true
	}
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return false
	}
	for _, fd := range open {
		if at, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && below(at, dir) {
			return true
		}
	}
	return false
}

func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
