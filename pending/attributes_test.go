package pending_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEndOfLineAndEncodingRulesHoldOnTheWayOut(t *testing.T) {
	t.Parallel()
	utf16 := func(s string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, c := range []byte(s) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	rules := "*.txt text eol=crlf\n*.u16 working-tree-encoding=UTF-16LE-BOM text\n*.bin -text\n"
	for name, c := range map[string]struct{ base, mine, theirs map[string]string }{
		"crlf in the checkout": {
			base:   map[string]string{".gitattributes": rules, "f.txt": "1\r\n2\r\n3\r\n4\r\n", "x.bin": "a\r\nb\n"},
			theirs: map[string]string{"f.txt": "1\r\n2\r\n3\r\nAGENT\r\n", "new.txt": "n\r\n", "x.bin": "a\nb\r\n"},
		},
		"merged with crlf": {
			base:   map[string]string{".gitattributes": rules, "f.txt": "1\r\n2\r\n3\r\n4\r\n"},
			mine:   map[string]string{"f.txt": "mine\r\n2\r\n3\r\n4\r\n"},
			theirs: map[string]string{"f.txt": "1\r\n2\r\n3\r\nAGENT\r\n"},
		},
		"the person keeps lf where the rules say crlf": {
			base:   map[string]string{".gitattributes": rules, "f.txt": "1\n2\n3\n4\n"},
			theirs: map[string]string{"f.txt": "1\n2\n3\nAGENT\n"},
		},
		"mixed ends of line that git takes for the same": {
			base:   map[string]string{".gitattributes": rules, "f.txt": "1\r\n2\r\n3\r\n4\r\n"},
			mine:   map[string]string{"f.txt": "1\n2\r\n3\n4\r\n"},
			theirs: map[string]string{"f.txt": "1\r\n2\r\n3\r\nAGENT\r\n"},
		},
		"another encoding": {
			base:   map[string]string{".gitattributes": rules, "f.u16": utf16("one\n")},
			theirs: map[string]string{"f.u16": utf16("two\n"), "new.u16": utf16("new\n")},
		},
		"the rules come with the files": {
			base:   map[string]string{"f.txt": "1\n"},
			theirs: map[string]string{".gitattributes": rules, "new.u16": utf16("new\n"), "f.txt": "2\r\n"},
		},
		"the rules change with the files": {
			base:   map[string]string{".gitattributes": "*.txt text eol=lf\n", "d/.gitattributes": "*.u16 -text\n", "f.txt": "1\n", "d/x": "x"},
			theirs: map[string]string{".gitattributes": rules, "d/.gitattributes": "-", "d/new.u16": utf16("new\n"), "f.txt": "2\r\n"},
		},
		"crlf recorded before there were rules": {
			base:   map[string]string{"f": "1\r\n2\r\n"},
			theirs: map[string]string{".gitattributes": "* text=auto\n", "f": "1\r\n3\r\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.base)
			write(t, w.repo, c.mine)
			before := tree(t, w.repo)
			w.turn("goose", w.edit(c.theirs))
			w.mustApply()
			got := tree(t, w.repo)
			if c.mine == nil {
				want := maps.Clone(before)
				for p := range c.theirs {
					delete(want, p)
				}
				for p, content := range tree(t, w.agent) {
					if _, theirs := c.theirs[p]; theirs {
						want[p] = content
					}
				}
				if name == "the person keeps lf where the rules say crlf" {
					want["f.txt"] = "-rw-r--r-- 1\r\n2\r\n3\r\nAGENT\r\n" // as git checks it out
				}
				same(t, "applied", got, want)
			}
			if status := w.run(w.repo, "status", "--porcelain"); status == "" {
				t.Error("git sees no change")
			}
			w.mustUndo()
			same(t, "undone", tree(t, w.repo), before)
			w.checkSet()
		})
	}
}

func TestFiltersDoNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n"})
	trap := filepath.Join(w.dir, "trap")
	w.run(w.repo, "config", "filter.evil.clean", "touch "+trap)
	w.run(w.repo, "config", "filter.evil.smudge", "touch "+trap)
	w.run(w.repo, "config", "filter.evil.required", "true")
	w.turn("goose", w.edit(map[string]string{".gitattributes": "* filter=evil\n", "f": "2\n", "new": "n"}))
	w.mustApply()
	w.mustUndo()
	if _, err := os.Lstat(trap); err == nil {
		t.Error("a filter ran")
	}
}
