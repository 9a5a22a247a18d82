package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// Within lists the processes that work in dir: their working directory is in
// there, or a file that they have open or in memory, as they have their program.
// This process itself is left out.
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
	open, _ := os.ReadDir(proc + "/fd")
	for _, fd := range open {
		if at, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && below(at, dir) && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return append(places, mappedIn(proc, dir)...)
}

// mappedIn lists the files in dir that a process has in its memory, one address
// space to a line (proc_pid_maps(5)); a descriptor is not needed for that. As a
// rule there is none, and then no line is looked at.
func mappedIn(proc, dir string) (places []string) {
	maps, err := os.ReadFile(proc + "/maps")
	if err != nil || !bytes.Contains(maps, []byte(" "+dir+"/")) {
		return nil
	}
	for line := range strings.Lines(string(maps)) {
		_, at, found := strings.Cut(strings.TrimSuffix(line, "\n"), " "+dir+"/")
		if at = dir + "/" + at; found && !strings.HasSuffix(at, " (deleted)") && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return places
}

func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
