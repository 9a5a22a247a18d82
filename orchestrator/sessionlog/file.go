package sessionlog

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"sync"

	"boo/orchestrator"
)

// logFile is an open file, whole to its end.
type logFile struct {
	*os.File
	size int64
	last orchestrator.Seq // number of its last event, or of that before its first
}

func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}

// open opens a chat's file, takes a torn end off it, and puts it aside if its
// log was cleared since.
func (l *Logs) open(chat orchestrator.ChatID, cleared orchestrator.Seq) (logFile, error) {
	f, err := openFile(l.Path(chat))
	if err != nil {
		return logFile{}, err
	}
	file := logFile{File: f}
	if err := file.repair(); err != nil {
		_ = f.Close() // the error that led here says more
		return logFile{}, err
	}
	if file.size == 0 { // cut off between the renaming of a file and the first line of the next
		file.last, err = lastOf(l.path(chat, part(1)))
	}
	if err == nil && cleared > 0 && file.size > 0 && file.first() <= cleared {
		if err = os.Rename(l.Path(chat), l.path(chat, fmt.Sprintf(".until-%d", cleared))); err == nil {
			_ = f.Close() // nothing of it was written
			f, err = openFile(l.Path(chat))
			file = logFile{File: f}
		}
	}
	file.last = max(file.last, cleared)
	if err != nil {
		_ = f.Close() // as above
	}
	return file, err
}

func lastOf(path string) (orchestrator.Seq, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	file := logFile{File: f}
	_, last, err := file.end()
	return last, err
}

// repair cuts off what stands after the last whole line.
func (f *logFile) repair() error {
	whole, last, err := f.end()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > whole {
		err = f.Truncate(whole)
	}
	f.size, f.last = whole, last
	return err
}

// end finds where the last whole line ends, and its number. It reads no more of
// the file than it has to.
func (f *logFile) end() (whole int64, last orchestrator.Seq, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	for reach := int64(64 << 10); ; reach *= 4 {
		from := max(0, info.Size()-reach)
		text := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(text, from); err != nil {
			return 0, 0, err
		}
		skipped := 0
		if from > 0 { // most likely in the middle of a line
			skipped = bytes.IndexByte(text, '\n') + 1
		}
		lines := text[skipped : bytes.LastIndexByte(text, '\n')+1]
		for len(lines) > 0 {
			start := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
			if seq, ok := check(lines[start:]); ok {
				return from + int64(skipped) + int64(len(lines)), seq, nil
			}
			lines = lines[:start]
		}
		if from == 0 {
			return 0, 0, nil
		}
	}
}

// first is the number of the file's first event; 0 if it cannot be read.
func (f *logFile) first() orchestrator.Seq {
	var head [40]byte
	n, _ := f.ReadAt(head[:], 0)
	return number(head[:n])
}

const seqMark = `{"seq":`

func number(line []byte) orchestrator.Seq {
	rest, ok := bytes.CutPrefix(line, []byte(seqMark))
	end := bytes.IndexByte(rest, ',')
	if !ok || end < 0 {
		return 0
	}
	seq, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	if err != nil {
		return 0
	}
	return orchestrator.Seq(seq)
}

// castagnoli takes a while to make, and most commands need none.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

const sealLength = len(`,"sum":"01234567"}` + "\n")

// seal gives an event's JSON its checksum and its line break.
func seal(event []byte) []byte {
	open := bytes.TrimSuffix(event, []byte("}"))
	return fmt.Appendf(open[:len(open):len(open)], ",\"sum\":\"%08x\"}\n", crc32.Checksum(open, castagnoli()))
}

// check reads the number of a line that is as it was written.
func check(line []byte) (orchestrator.Seq, bool) {
	if len(line) < sealLength {
		return 0, false
	}
	open := line[:len(line)-sealLength]
	want := fmt.Sprintf(",\"sum\":\"%08x\"}\n", crc32.Checksum(open, castagnoli()))
	seq := number(line)
	return seq, seq > 0 && string(line[len(open):]) == want
}
