package sessionlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// Options say where the files are and how large they get. The zero values of
// Max and Keep stand for 16 MiB and 4.
type Options struct {
	Dir     string
	Max     int64    // bytes of a file
	Keep    int      // files of a chat, besides those of cleared logs
	Environ []string // "NAME=value" that all agents get
}

// Logs implements the orchestrator's SessionLogs.
type Logs struct{ opt Options }

// New returns the logs in a directory, which is made when there is something to
// write.
func New(opt Options) *Logs {
	if opt.Max == 0 {
		opt.Max = 16 << 20
	}
	if opt.Keep == 0 {
		opt.Keep = 4
	}
	return &Logs{opt}
}

// Path is where a chat's newest file is.
func (l *Logs) Path(chat orchestrator.ChatID) string { return l.path(chat, "") }

func (l *Logs) path(chat orchestrator.ChatID, part string) string {
	return filepath.Join(l.opt.Dir, string(chat)+part+".jsonl")
}

// Append writes what next has after the last event in the file, until it has no
// more. The file begins after the event cleared. Nothing waits for the disk.
func (l *Logs) Append(chat orchestrator.ChatID, cleared orchestrator.Seq, environ []string, next orchestrator.NextEvents) error {
	if _, err := orchestrator.ParseChatID(string(chat)); err != nil {
		return err
	}
	if err := os.MkdirAll(l.opt.Dir, 0o700); err != nil {
		return err
	}
	f, err := l.open(chat, cleared)
	if err != nil {
		return err
	}
	w := writer{logs: l, chat: chat, file: f, wait: pieces{hide: newRedactor(append(append([]string{}, l.opt.Environ...), environ...))}}
	return w.finish(w.all(next))
}

// Rebuild makes a chat's file anew of all that next has after an event, and
// removes those that came before it.
func (l *Logs) Rebuild(chat orchestrator.ChatID, cleared orchestrator.Seq, environ []string, next orchestrator.NextEvents) error {
	if _, err := orchestrator.ParseChatID(string(chat)); err != nil {
		return err
	}
	for n := range l.opt.Keep {
		if err := os.Remove(l.path(chat, part(n))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return l.Append(chat, cleared, environ, next)
}

// part is what the n-th newest file has in its name.
func part(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(".%d", n)
}

// writer appends to one file.
type writer struct {
	logs *Logs
	chat orchestrator.ChatID
	file logFile
	wait pieces
}

func (w *writer) all(next orchestrator.NextEvents) error {
	for last := w.file.last; ; {
		events, err := next(last)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, ev := range events {
			last = ev.Seq
			if err := w.write(w.wait.add(ev)); err != nil {
				return err
			}
		}
		if err := w.write(w.wait.settled()); err != nil {
			return err
		}
	}
}

func (w *writer) write(events []orchestrator.Event) error {
	for _, ev := range events {
		if err := w.line(ev); err != nil {
			return fmt.Errorf("write the session log of chat %s: %w", w.chat, err)
		}
	}
	return nil
}

func (w *writer) finish(err error) error {
	if closeErr := w.file.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (w *writer) line(ev orchestrator.Event) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ev); err != nil {
		return err
	}
	sealed := seal(w.wait.hide.redact(bytes.TrimSuffix(line.Bytes(), []byte("\n"))))
	if w.file.size > 0 && w.file.size+int64(len(sealed)) > w.logs.opt.Max {
		if err := w.rotate(); err != nil {
			return err
		}
	}
	n, err := w.file.Write(sealed)
	w.file.size += int64(n)
	if err == nil {
		w.file.last = ev.Seq
	}
	return err
}

// rotate begins a new file.
func (w *writer) rotate() error {
	last := w.file.last
	if err := w.file.Close(); err != nil {
		return err
	}
	for n := w.logs.opt.Keep - 1; n > 0; n-- {
		err := os.Rename(w.logs.path(w.chat, part(n-1)), w.logs.path(w.chat, part(n)))
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	f, err := openFile(w.logs.Path(w.chat))
	w.file = logFile{File: f, last: last}
	return err
}
