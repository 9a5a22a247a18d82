package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// Longer names would not fit into a file name everywhere.
const longestName = 150

// path is the file of a lock. Different names have different files, also where
// the file system knows no case: all but lower-case letters, digits, "-" and
// "_" are written as "%" and two digits, and of a long name the rest as a hash
// after "~".
func (l *Locks) path(name string) (string, error) {
	if name == "" {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "a lock has to have a name")
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	file := b.String()
	if len(file) > longestName {
		sum := sha256.Sum256([]byte(name))
		file = file[:longestName-2*len(sum)] + "~" + hex.EncodeToString(sum[:])
	}
	return filepath.Join(l.dir, file+".lock"), nil
}
