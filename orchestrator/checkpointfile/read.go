package checkpointfile

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"boo/orchestrator"
)

// Fault is a file that was not taken, or something that is amiss beside those
// that were.
type Fault struct {
	File   string `json:"file"` // below the directory
	Reason string `json:"reason"`
}

// Read returns the checkpoints below dir that agree with their digests and stand
// where they belong, by session and step, and names everything else. An error
// means that the directory cannot be read at all.
func Read(dir string) (list []orchestrator.Checkpoint, faults []Fault, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeNotFound, "open the directory: %w; nothing was read", err).WithHint("boo checkpoint import --help")
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "read %s: %w", dir, err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			faults = append(faults, Fault{entry.Name(), "it is no directory of a session"})
			continue
		}
		good, bad := readSession(root, entry.Name())
		list, faults = append(list, good...), append(faults, bad...)
	}
	return list, faults, nil
}

func readSession(root *os.Root, name string) (list []orchestrator.Checkpoint, faults []Fault) {
	fault := func(file, format string, args ...any) {
		faults = append(faults, Fault{path.Join(name, file), fmt.Sprintf(format, args...)})
	}
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		fault("", "it cannot be read: %v", err)
		return nil, faults
	}
	for _, entry := range entries {
		switch {
		case entry.Name() == latestName:
		case strings.HasPrefix(entry.Name(), draftName):
			fault(entry.Name(), "it was being written when something ended that")
		default:
			c, err := readStep(root, name, entry.Name())
			if err != nil {
				fault(entry.Name(), "%v", err)
				continue
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, faults
	}
	newest := stepName(list[len(list)-1].Step) // the names sort as the steps do
	text, err := readFile(root, path.Join(name, latestName))
	switch named := strings.TrimSpace(string(text)); {
	case err != nil:
		fault(latestName, "it cannot be read; the newest one that holds is %s", newest)
	case named != newest:
		fault(latestName, "it names %q, but the newest one that holds is %s", named, newest)
	}
	return list, faults
}

func readStep(root *os.Root, session, name string) (orchestrator.Checkpoint, error) {
	var c orchestrator.Checkpoint
	text, err := readFile(root, path.Join(session, name))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("it is no checkpoint: %w", err)
	}
	if fault := c.Fault(); fault != "" {
		return c, fmt.Errorf("%s", fault)
	}
	belongs, err := sessionName(c)
	if err != nil {
		return c, err
	}
	if belongs != session || stepName(c.Step) != name {
		return c, fmt.Errorf("it belongs to %s", path.Join(belongs, stepName(c.Step)))
	}
	return c, nil
}

// readFile reads a small regular file that lies below root, links included.
func readFile(root *os.Root, name string) ([]byte, error) {
	// What is no regular file could block for ever once it is open.
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("it is no regular file of at most %d MiB", maxFile>>20)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}
