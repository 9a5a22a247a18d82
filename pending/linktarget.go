package pending

import (
	"strings"

	"boo/orchestrator"
)

// maxTarget is more than any system takes for a symlink's target.
const maxTarget = 4096

// badTarget says in words why a symlink at p must never have this target, or
// only if links are allowed. A ".." is only taken at the front: behind a name it
// is resolved from where that name leads, which another link can move out of the
// repository.
func badTarget(p orchestrator.Path, target string) (never, link string) {
	switch {
	case target == "" || len(target) >= maxTarget || strings.ContainsRune(target, 0):
		return "its target is not one that a symlink can have", ""
	case absolute(target):
		link = "it is a symlink to an absolute path"
	}
	depth := strings.Count(string(p), "/")
	named := false
	for part := range strings.SplitSeq(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == "..":
			depth--
			switch {
			case link != "":
			case named:
				link = "it is a symlink that climbs back out of a directory it goes into"
			case depth < 0:
				link = "it is a symlink that leads out of the repository"
			}
		case gitDisguise(part):
			return "it is a symlink into git's own directory", ""
		default:
			named = true
		}
	}
	return "", link
}

// absolute knows Windows' forms too: a repository travels.
func absolute(target string) bool {
	if target[0] == '/' || target[0] == '\\' {
		return true
	}
	letter := target[0] | 0x20
	return len(target) >= 2 && target[1] == ':' && letter >= 'a' && letter <= 'z'
}
