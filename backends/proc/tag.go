package proc

import (
	"bytes"
	"crypto/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// TagVariable is the environment variable that marks every process of a run.
// Whoever starts a process that shall outlive the run has to remove it.
const TagVariable = "BOO_RUN"

// origin begins the tags of all runs that this process starts, and of no other.
var origin = sync.OnceValue(rand.Text)

func newTag() string { return origin() + "." + rand.Text() }

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
	got, err := tagOf(pid)
	return err == nil && got == tag
}

// environ is the environment that a process was started with, as the kernel
// shows it.
type environ []byte

// environOf returns nothing for a process that has ended, or is another's.
func environOf(pid int) environ {
	env, _ := readEnviron(pid)
	return env
}

func readEnviron(pid int) (environ, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
}

// has reports whether "NAME=VALUE" is in it.
func (e environ) has(entry string) bool {
	for got := range bytes.SplitSeq(e, []byte{0}) {
		if string(got) == entry {
			return true
		}
	}
	return false
}

// tagOf returns the tag that a process was started with, "" if it has none.
func tagOf(pid int) (string, error) {
	env, err := readEnviron(pid)
	if err != nil {
		return "", err
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if tag, ok := bytes.CutPrefix(entry, []byte(TagVariable+"=")); ok {
			return string(tag), nil
		}
	}
	return "", nil
}
