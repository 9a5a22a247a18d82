package checkpointfile

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"boo/orchestrator"
)

// Write writes checkpoints below dir, which is made (0700) if it is not there,
// and returns how many files are new. The latest of a session is its highest
// step here. Files of the same content stay as they are, and so do those of other
// steps.
func Write(dir string, list []orchestrator.Checkpoint) (written int, err error) {
	sessions := map[string][]orchestrator.Checkpoint{}
	for _, c := range list {
		name, err := sessionName(c)
		if err != nil {
			return 0, err
		}
		sessions[name] = append(sessions[name], c)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, orchestrator.Errorf(orchestrator.CodeDenied, "make the directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, orchestrator.Errorf(orchestrator.CodeInvalid, "open the directory: %w", err)
	}
	defer root.Close()
	for name, steps := range sessions {
		n, err := writeSession(root, name, steps)
		if written += n; err != nil {
			return written, orchestrator.Errorf(orchestrator.CodeDenied, "write %s in %s: %w", name, dir, err)
		}
	}
	return written, syncDir(root)
}

func writeSession(root *os.Root, name string, steps []orchestrator.Checkpoint) (written int, err error) {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	session, err := root.OpenRoot(name)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	slices.SortFunc(steps, func(a, b orchestrator.Checkpoint) int { return int(a.Step - b.Step) })
	for _, c := range steps {
		text, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return written, err
		}
		fresh, err := replace(session, stepName(c.Step), append(text, '\n'))
		if err != nil {
			return written, err
		}
		if fresh {
			written++
		}
	}
	// The steps are on disk before anything names one of them.
	if err := syncDir(session); err != nil {
		return written, err
	}
	if _, err := replace(session, latestName, []byte(stepName(steps[len(steps)-1].Step)+"\n")); err != nil {
		return written, err
	}
	return written, syncDir(session)
}

// replace puts a file into its place, whole; fresh is false if it is there
// already.
func replace(dir *os.Root, name string, content []byte) (fresh bool, err error) {
	if have, err := dir.ReadFile(name); err == nil && bytes.Equal(have, content) {
		return false, nil
	}
	draft := draftName + strings.ToLower(rand.Text())
	f, err := dir.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = dir.Rename(draft, name)
	}
	if err != nil {
		return false, errors.Join(err, dir.Remove(draft))
	}
	return true, nil
}

func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
