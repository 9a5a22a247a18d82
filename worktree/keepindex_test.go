package worktree_test

import (
	"strings"
	"testing"
)

// Whatever is staged comes back as it was, and what only the index named is kept.
func TestAnyIndexComesBackWithAnArchive(t *testing.T) {
	missing := strings.Repeat("1", 40)
	for name, stage := range map[string]func(f *fixture, dir string){
		"a conflict without a merge": func(f *fixture, dir string) {
			f.write(dir+"/a.txt", "stashed\n")
			f.git(dir, "stash")
			f.write(dir+"/a.txt", "committed\n")
			f.git(dir, "commit", "-qam", "mine")
			_, _ = f.tryGit(dir, "stash", "pop")
			f.git(dir, "stash", "drop")
		},
		"shared with another file": func(f *fixture, dir string) {
			f.git(dir, "update-index", "--split-index")
			f.write(dir+"/new.txt", "new\n")
			f.git(dir, "add", "new.txt")
		},
		"an object that is not there": func(f *fixture, dir string) {
			f.write(dir+"/new.txt", "new\n")
			f.git(dir, "add", "new.txt")
			f.git(dir, "update-index", "--add", "--cacheinfo", "100644,"+missing+",none.txt")
		},
		"to be added, and marked": func(f *fixture, dir string) {
			f.write(dir+"/new.txt", "new\n")
			f.git(dir, "add", "-N", "new.txt")
			f.git(dir, "update-index", "--assume-unchanged", "a.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write(f.repo+"/a.txt", "a\n")
			f.commit()
			wt := f.create()
			dir := string(wt.Dir)
			stage(f, dir)
			f.snapshot(wt)
			before := f.git(dir, "ls-files", "-s", "-v")

			if _, err := f.engine.Keep(t.Context(), wt, wt.Dir); err != nil {
				t.Fatal(err)
			}
			f.remove(dir)
			f.must(f.engine.Unregister(t.Context(), wt))
			f.git(f.repo, "gc", "-q", "--prune=now")
			f.must(f.engine.Restore(t.Context(), wt))
			f.must(f.engine.Unkeep(t.Context(), wt))
			if after := f.git(dir, "ls-files", "-s", "-v"); after != before {
				t.Errorf("the index has\n%s\nand had\n%s", after, before)
			}
			for line := range strings.SplitSeq(before, "\n") {
				if id := strings.Fields(line)[2]; id != missing {
					f.git(f.repo, "cat-file", "-e", id)
				}
			}
		})
	}
}
