package proc

import (
	"bytes"
	"crypto/rand"
	"os"
	"slices"
	"strconv"
	"strings"
)

// TagVariable is the environment variable that marks every process of a run.
// Whoever starts a process that shall outlive the run has to remove it.
const TagVariable = "BOO_RUN"

func newTag() string { return rand.Text() }

// tagged returns env with the tag in it, and no other tag.
func tagged(env []string, tag string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, TagVariable+"=")
	})
	return append(env, TagVariable+"="+tag)
}

// hasTag reports whether the process was started with the tag in its
// environment. The environment of other people's processes cannot be read,
// and they are not ours either.
func hasTag(pid int, tag string) bool {
	if tag == "" {
		return false
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	entry := []byte(TagVariable + "=" + tag)
	for got := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(got, entry) {
			return true
		}
	}
	return false
}
