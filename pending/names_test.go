package pending

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestNamesThatArePassedForGitsDirectoryAreRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []orchestrator.Path{
		".git", ".git/config", "sub/.git/hooks/post-checkout", ".GIT/x", ".Git", "a/.gIt",
		".git.", ".git ", ".git . .", ".git...", "git~1", "GIT~1/config", "git~1.", "git~2",
		".git::$INDEX_ALLOCATION", ".git::$INDEX_ALLOCATION/config", ".git:stream", ".git :x",
		".g\u200cit", "\u200d.git", ".git\ufeff", ".gi\u206ft/config", ".\u202egit",
		`a\.git`, `.git\config`, `sub\.GIT\x`,
		"", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "a/", "x\x00y",
	} {
		if badName(p) == "" {
			t.Errorf("%q passed", p)
		}
	}
}

func TestOrdinaryNamesPass(t *testing.T) {
	t.Parallel()
	for _, p := range []orchestrator.Path{
		"a", "a/b", ".gitignore", ".gitattributes", ".gitmodules", ".github/workflows/x.yml", "git", "x.git/y", "...git",
		".git-blame-ignore-revs", "git~x", "git~10", "agit~1", "a b ", "ends.", "new\nline", `quo"te`, `back\slash`,
		"\xff\xfe", "\u202e", "-rf", ":(magic)", "ünïcode", ".g it", "..a", "a..", "...",
	} {
		if reason := badName(p); reason != "" {
			t.Errorf("%q refused: %s", p, reason)
		}
	}
}

// The oracle folds a component the other way round: it drops whatever the
// disguises are made of, and then compares.
func FuzzNoDisguiseOfGitPasses(f *testing.F) {
	for _, seed := range []string{".git", "a/.GIT. /b", ".g\u200bit", "git~1", `x\.git`, "a/\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if badName(orchestrator.Path(s)) != "" {
			return
		}
		for part := range strings.SplitSeq(s, "/") {
			if part == "" || part == "." || part == ".." {
				t.Fatalf("%q passed with component %q", s, part)
			}
			head, _, _ := strings.Cut(part, ":")
			plain := strings.TrimRight(stripIgnorable(head), ". ")
			if strings.EqualFold(plain, ".git") || strings.EqualFold(plain, "git~1") {
				t.Fatalf("%q passed with component %q", s, part)
			}
		}
	})
}
