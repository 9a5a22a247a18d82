package worktree_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestFilesThatAFilterMakesAreToldOf(t *testing.T) {
	for rules, want := range map[string]string{
		"*.big filter=lfs diff=lfs -text\n*.iso filter=lfs\n": "Git LFS: the worktree has their pointers, as your git is not set up for it; run: git lfs install",
		"*.big text\n*.key filter=secret\n":                   "a filter (secret): the worktree has them as they are stored",
		"# filter=lfs\n*.txt text\n":                          "",
	} {
		f := newFixture(t)
		f.write(f.repo+"/.gitattributes", rules)
		f.write(f.repo+"/x.big", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n")
		f.commit()
		wt := f.create()
		wt.Source = f.checkout(f.repo).Dir
		warnings, err := f.engine.Furnish(t.Context(), wt, orchestrator.FurnishRequest{})
		if err != nil || want == "" && len(warnings) > 0 || want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], want)) {
			t.Errorf("%q: %q, %v", rules, warnings, err)
		}
	}
}
