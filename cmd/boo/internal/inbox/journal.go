package inbox

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"boo/orchestrator"
)

// journal is a file with what was read from a pipe: a head, of one size always,
// and the bytes. The head names the journal, and says how many of the bytes are
// settled; where that is more than there are, the journal was about to begin anew.
type journal struct {
	file     *os.File
	id       string
	settled  int64 // bytes
	dropping bool  // the next bytes are the rest of a message that was too long
}

const headForm = "boo-inbox %s %020d %t \n"

// headSize fits both values of the last field.
const headSize = 10 + 16 + 1 + 20 + 1 + 5 + 2

// openJournal opens or makes the file, for its owner alone, and returns the bytes
// that are not settled.
func openJournal(path string) (j journal, ahead []byte, err error) {
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600); err != nil {
		return j, nil, err
	}
	text, err := io.ReadAll(j.file)
	if err == nil && len(text) > 0 {
		err = j.read(text[:min(headSize, len(text))])
		text = text[min(headSize, len(text)):]
	}
	if err == nil && j.settled < int64(len(text)) {
		return j, text[j.settled:], nil
	}
	if err == nil {
		err = j.renew()
	}
	if err != nil {
		_ = j.file.Close() // the error that led here says more
	}
	return j, nil, err
}

func (j *journal) read(head []byte) error {
	if _, err := fmt.Sscanf(string(head), headForm, &j.id, &j.settled, &j.dropping); err != nil || len(head) != headSize || j.settled < 0 {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s is not what boo wrote", j.file.Name()).WithHint("rm %s   (after a look at it)", j.file.Name())
	}
	return nil
}

// write stores the head.
func (j *journal) write() error {
	head := fmt.Sprintf("%-*s\n", headSize-1, fmt.Sprintf(headForm[:len(headForm)-1], j.id, j.settled, j.dropping))
	_, err := j.file.WriteAt([]byte(head), 0)
	return err
}

// add appends bytes.
func (j *journal) add(text []byte) error {
	_, err := j.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = j.file.Write(text)
	}
	return err
}

// settle says that the next n bytes are done with; none that they are all of them.
func (j *journal) settle(n int, none bool) error {
	j.settled += int64(n)
	if none {
		return j.renew()
	}
	return j.write()
}

// renew begins the journal anew, with another name. Cut off, it is begun anew when
// it is opened next: the head that is there tells of more bytes than are there.
func (j *journal) renew() error {
	size, err := j.file.Seek(0, io.SeekEnd)
	if err == nil && size > headSize {
		if err = j.write(); err == nil {
			err = j.file.Truncate(headSize)
		}
	}
	if err != nil {
		return err
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	j.id, j.settled = hex.EncodeToString(id), 0
	return j.write()
}

// close closes the file, which goes if there is nothing in it.
func (j *journal) close(none bool) error {
	if none && !j.dropping {
		return errors.Join(os.Remove(j.file.Name()), j.file.Close())
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
