package opencode

import (
	"crypto/rand"
	"fmt"
	"time"
)

// newMessageID makes an id of the form that the server's own have: it compares
// them by their order, so that an answer has to come after its prompt. The
// last three digits count within a millisecond; the server begins with 1.
func newMessageID(now time.Time) string {
	const mask = 1<<48 - 1
	return fmt.Sprintf("msg_%012x%s", uint64(now.UnixMilli())<<12&mask, rand.Text()[:14])
}
