package pending

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestSymlinkTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at     orchestrator.Path
		target string
		ok     bool
	}{
		{"l", "file", true},
		{"l", "dir/file", true},
		{"l", "./file", true},
		{"l", ".", true},
		{"l", "dangling/nowhere", true},
		{"d/l", "../file", true},
		{"d/e/l", "../../file", true},
		{"d/e/l", ".././../x/y", true},
		{"l", "new\nline \xff", true},
		{"l", "..", false},
		{"l", "../outside", false},
		{"d/l", "../../outside", false},
		{"d/l", "./../../outside", false},
		{"l", "/etc/passwd", false},
		{"l", "/", false},
		{"l", `\\host\share`, false},
		{"l", `C:\Windows`, false},
		{"l", "d/../file", false}, // d may be a link itself, and ".." then leads elsewhere
		{"d/l", "x/../../../outside", false},
		{"l", ".git", false},
		{"l", ".git/hooks", false},
		{"d/l", "../.GIT/config", false},
		{"l", "sub/git~1", false},
		{"l", "", false},
		{"l", "a\x00b", false},
		{"l", strings.Repeat("a/", 2048), false},
	} {
		if never, link := badTarget(c.at, c.target); (never+link == "") != c.ok {
			t.Errorf("%s -> %.40q: %q %q", c.at, c.target, never, link)
		}
	}
}
