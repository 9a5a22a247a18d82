package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
)

// TestSnapshotsWhileFilesChange takes snapshots, by a scan and by a watch, while
// files are replaced, rewritten and removed without a rest. Each snapshot holds
// replaced files as they were at some moment, and the one after the storm is plain
// git's: nothing half seen is taken for known.
func TestSnapshotsWhileFilesChange(t *testing.T) {
	f := newFixture(t)
	const files = 12
	for i := range files {
		f.write(fmt.Sprintf("%s/d%d/replaced", f.repo, i), "0 0\n")
		f.write(fmt.Sprintf("%s/d%d/rewritten", f.repo, i), "0\n")
	}
	f.commit()
	wt := f.create()
	watch := f.watching(wt)
	stop := make(chan struct{})
	var storm sync.WaitGroup
	storm.Go(func() { rage(t, string(wt.Dir), files, stop) })
	for round := range 6 {
		tree := f.snapshot(wt).Tree
		if round == 5 {
			snap, err := watch.Snapshot(t.Context(), goose, "turn\n")
			f.must(err)
			tree = snap.Tree
		}
		for i := range files {
			name := fmt.Sprintf("%s:d%d/replaced", tree, i)
			if content, err := f.tryGit(f.repo, "cat-file", "blob", name); err != nil || !whole.MatchString(content) {
				t.Errorf("round %d: %s holds %q, %v", round, name, content, err)
			}
		}
	}
	close(stop)
	storm.Wait()
	f.must(watch.Close())
	if snap, want := f.snapshot(wt), f.oracle(wt, nil, nil); snap.Tree != want {
		t.Errorf("snapshot:\n%s\nplain git:\n%s", f.listing(f.repo, snap.Tree), f.listing(f.root+"/oracle", want))
	}
}

// whole is the content of a file that is replaced.
var whole = regexp.MustCompile(`^\d+ 0+\n$`)

// rage changes files until it is stopped.
func rage(t *testing.T, dir string, files int, stop chan struct{}) {
	for n := 1; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		at := fmt.Sprintf("%s/d%d/", dir, n%files)
		steps := []error{
			os.WriteFile(filepath.Join(dir, ".git-temp"), fmt.Appendf(nil, "%d %0*d\n", n, 1+n%5000, 0), 0o644),
			os.Rename(filepath.Join(dir, ".git-temp"), at+"replaced"),
			os.WriteFile(at+"rewritten", fmt.Appendf(nil, "%0*d\n", 1+n%900, n), 0o644),
		}
		if n%7 == 0 {
			steps = append(steps, os.Remove(at+"rewritten"))
		}
		for _, err := range steps {
			if err != nil {
				t.Error(err)
				return
			}
		}
	}
}
