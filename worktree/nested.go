package worktree

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"boo/orchestrator"
)

// errNoRepo says that a directory is not the work tree of a repository.
var errNoRepo = errors.New("not a repository")

// nestedHead reads which commit the repository in dir has checked out. It
// reads at most four small files and its packed refs, and runs nothing: a
// repository inside a worktree is the agent's, with its configuration. Symlinks
// are not followed.
func nestedHead(dir string) (orchestrator.ObjectID, error) {
	gitDir := filepath.Join(dir, ".git")
	info, err := os.Lstat(gitDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errNoRepo
	case err != nil:
		return "", err
	case info.Mode().IsRegular():
		content, err := readSmall(gitDir, 64<<10)
		if err != nil {
			return "", err
		}
		target, ok := strings.CutPrefix(string(content), "gitdir: ")
		if !ok {
			return "", errNoRepo
		}
		gitDir = strings.TrimRight(target, "\r\n")
		if !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(dir, gitDir)
		}
	case !info.IsDir():
		return "", errNoRepo
	}
	return readHead(gitDir)
}

func readHead(gitDir string) (orchestrator.ObjectID, error) {
	content, err := readSmall(filepath.Join(gitDir, "HEAD"), 4<<10)
	if err != nil {
		return "", errNoRepo
	}
	value := strings.TrimSpace(string(content))
	ref, symbolic := strings.CutPrefix(value, "ref: ")
	if !symbolic {
		return orchestrator.ParseObjectID(value)
	}
	name, err := orchestrator.ParsePath(strings.TrimSpace(ref))
	if err != nil || !name.Under("refs") {
		return "", fmt.Errorf("HEAD names %q", ref)
	}
	common := gitDir
	if content, err := readSmall(filepath.Join(gitDir, "commondir"), 64<<10); err == nil {
		common = strings.TrimRight(string(content), "\r\n")
		if !filepath.IsAbs(common) {
			common = filepath.Join(gitDir, common)
		}
	}
	if content, err := readSmall(filepath.Join(common, string(name)), 4<<10); err == nil {
		return orchestrator.ParseObjectID(strings.TrimSpace(string(content)))
	}
	return packedRef(filepath.Join(common, "packed-refs"), string(name))
}

// packedRef looks a ref up in a packed-refs file.
func packedRef(path, name string) (orchestrator.ObjectID, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("it has no commit checked out")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("its packed refs are not a file")
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name {
			return orchestrator.ParseObjectID(id)
		}
	}
	return "", fmt.Errorf("it has no commit checked out")
}
