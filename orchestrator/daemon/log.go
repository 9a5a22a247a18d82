package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A log that has grown to this size becomes "<log>.1", and a new one is begun.
const longestLog = 1 << 20

// openLog opens the log to write at its end, and makes it, for nobody else to
// read, if it is not there.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, refused(filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, refused(filepath.Dir(path), err)
	}
	return f, nil
}

// LogFile is the standard output of a daemon in the background: a file that is
// changed for a new one when it has become long. What the runtime says of a
// crash goes to the same place. It may be used concurrently.
type LogFile struct {
	path string
	mu   sync.Mutex
	size int64
}

// NewLogFile takes over the log at path, which standard output and standard
// error lead to.
func NewLogFile(path string) (*LogFile, error) {
	info, err := os.Stderr.Stat()
	if err != nil {
		return nil, fmt.Errorf("find out how long the log is: %w", err)
	}
	return &LogFile{path: path, size: info.Size()}, nil
}

// Write adds to the log.
func (l *LogFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > longestLog {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := os.Stderr.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *LogFile) rotate() error {
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return err
	}
	f, err := openLog(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, std := range []int{1, 2} {
		err = errors.Join(err, unix.Dup3(int(f.Fd()), std, 0))
	}
	l.size = 0
	return err
}

// tail is the end of a log, in whole lines.
func tail(path string) string {
	const length = 2 << 10
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > length {
		_, _ = f.Seek(-length, io.SeekEnd)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	if len(text) == length {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(bytes.TrimSpace(text))
}
