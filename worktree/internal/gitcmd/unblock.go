package gitcmd

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

const (
	// patience is how long a command may take before it is looked whether it waits
	// at a pipe, and feedTime how long what was found is then opened again and again.
	patience, feedTime = 300 * time.Millisecond, time.Second
	// feedPause is the time between two times that a pipe is opened.
	feedPause = 10 * time.Millisecond
)

// unblock has a command go on that waits at a named pipe, where git looks for a file
// with rules, a ref or a repository: it finds an empty file there. An agent can leave
// such a pipe, and git would wait for ever. The function that is returned ends that,
// and has to be called.
func unblock(c Call) (end func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for wait := patience; ; wait *= 2 {
			select {
			case <-over:
				return
			case <-time.After(wait):
				c.feedPipes(over)
			}
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// feedPipes opens and closes for a while the pipes at which the command may wait.
func (c Call) feedPipes(over <-chan struct{}) {
	var pipes []pipe
	for dir, mayRead := range map[string]func(string) bool{c.WorkTree: ofGit, c.GitDir: besidesObjects} {
		if root, err := os.OpenRoot(dir); err == nil {
			defer root.Close()
			pipes = append(pipes, pipesIn(root, mayRead, over)...)
		}
	}
	if len(pipes) == 0 {
		return
	}
	for enough := time.After(feedTime); ; {
		for _, p := range pipes {
			// Where nobody waits for a writer this fails at once.
			if f, err := p.root.OpenFile(p.name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				_ = f.Close()
			}
		}
		select {
		case <-over:
			return
		case <-enough:
			return
		case <-time.After(feedPause):
		}
	}
}

// pipe is a named pipe below a directory.
type pipe struct {
	root *os.Root
	name string
}

// ofGit reports whether git reads what has that name in a work tree: it is one of its
// own, or in what may be a repository.
func ofGit(name string) bool {
	return strings.HasPrefix(path.Base(name), ".git") || strings.Contains("/"+name, "/.git/")
}

// besidesObjects reports whether a name in a git directory is not one of an object.
func besidesObjects(name string) bool {
	return name != "objects" && !strings.HasPrefix(name, "objects/")
}

func pipesIn(root *os.Root, mayRead func(string) bool, over <-chan struct{}) (pipes []pipe) {
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		select {
		case <-over:
			return fs.SkipAll
		default:
		}
		if err == nil && entry.Type()&fs.ModeNamedPipe != 0 && mayRead(name) {
			pipes = append(pipes, pipe{root, name})
		}
		return nil // what cannot be listed is not read by git either
	})
	return pipes
}
