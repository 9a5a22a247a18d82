package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Git opens files with rules by their names, and waits for ever where one of them is
// a named pipe. For the worktree of an agent it must not.
func TestPipesInPlaceOfRulesDoNotHoldASnapshotUp(t *testing.T) {
	for _, at := range []string{".gitattributes", ".gitignore", "sub/.gitattributes", "sub/.gitignore", "nested/.git/HEAD"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.write(f.repo+"/a.txt", "a\n")
			f.write(f.repo+"/sub/b.txt", "b\n")
			if filepath.Dir(at) == "." {
				f.write(f.repo+"/"+at, "*.o\n")
			}
			f.commit()
			wt := f.create()
			f.snapshot(wt)
			dir := string(wt.Dir)
			for _, sub := range []string{"/nested/.git/objects", "/nested/.git/refs"} {
				f.mkdir(dir + sub)
			}
			f.write(dir+"/a.txt", "edited\n")
			f.write(dir+"/sub/new.txt", "new\n")
			_ = os.Remove(dir + "/" + at)
			mkfifo(t, dir+"/"+at)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			snap, err := f.engine.Snapshot(ctx, wt, goose, "turn\n")
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]string{"a.txt": "edited", "sub/new.txt": "new"} {
				if got := f.git(f.repo, "show", string(snap.Commit)+":"+path); got != want {
					t.Errorf("%s is %q", path, got)
				}
			}
		})
	}
}
