package opencode

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// newMessageID makes an id of the form that the server's own have: it compares
// them by their order, so that an answer has to come after its prompt. The
// last three digits count within a millisecond; the server begins with 1.
func newMessageID(now time.Time) string {
	const mask = 1<<48 - 1
	return fmt.Sprintf("%s%012x%s", messagePrefix, uint64(now.UnixMilli())<<12&mask, rand.Text()[:14])
}

// partID is the id of the n-th part of a message of boo's: a message that is
// sent again has the same parts, and so the server has it once.
func partID(message string, n int) string {
	return fmt.Sprintf("prt_%s%02d", strings.TrimPrefix(message, messagePrefix), n)
}

const messagePrefix = "msg_"
