package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// Within lists the processes that work in dir: their working directory is in
// there, or a file that they have open. This process itself is left out.
func (Table) Within(dir string) ([]orchestrator.Inhabitant, error) {
	real, err := filepath.EvalSymlinks(dir) // the kernel tells of no others
	if err != nil {
		return nil, fmt.Errorf("look for processes in %s: %w", dir, err)
	}
	table, err := processTable()
	if err != nil {
		return nil, err
	}
	var found []orchestrator.Inhabitant
	for _, p := range table {
		if p.pid == os.Getpid() {
			continue
		}
		places := placesIn(p.pid, real)
		if len(places) == 0 {
			continue
		}
		for i, at := range places {
			places[i] = dir + at[len(real):]
		}
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/comm") // it may have ended since
		tag, _ := tagOf(p.pid)
		found = append(found, orchestrator.Inhabitant{PID: p.pid, Name: strings.TrimSpace(string(name)), Tag: tag, Places: places})
	}
	return found, nil
}

// placesIn lists where in dir a process can be seen to work. The links of other
// people's processes cannot be read.
func placesIn(pid int, dir string) (places []string) {
	proc := "/proc/" + strconv.Itoa(pid)
	if at, err := os.Readlink(proc + "/cwd"); err == nil && below(at, dir) {
		places = append(places, at)
	}
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return places
	}
	for _, fd := range open {
		if at, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && below(at, dir) && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return places
}

func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
