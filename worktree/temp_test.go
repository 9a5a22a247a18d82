package worktree_test

import (
	"os"
	"path/filepath"
	"testing"
)

// What a killed process was at work on goes when the next one starts; what others
// work on stays.
func TestTemporaryFilesGoWithTheirProcess(t *testing.T) {
	f := newFixture(t)
	other := mustNew(t, f.opts)
	mine, err := f.engine.TempDir()
	f.must(err)
	theirs, err := other.TempDir()
	f.must(err)
	f.must(f.engine.Die())

	next := mustNew(t, f.opts)
	if _, err := os.Lstat(filepath.Dir(mine)); !os.IsNotExist(err) {
		t.Errorf("what the dead left is there: %v", err)
	}
	if _, err := os.Lstat(theirs); err != nil {
		t.Errorf("what is in use is gone: %v", err)
	}
	if again, err := next.TempDir(); err != nil || filepath.Dir(again) == filepath.Dir(theirs) {
		t.Errorf("%s, %v", again, err)
	}
	f.remove(filepath.Dir(theirs))
	if _, err := other.TempDir(); err != nil {
		t.Errorf("after somebody cleared up: %v", err)
	}
}
