package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// TestALockThatCannotBeWatchedIsLookedAt: the kernel gives a person a hundred
// watches or so, which other programs may have.
func TestALockThatCannotBeWatchedIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ours, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		gone, stop := lookedAt(path, ours)
		stop()
		select {
		case <-gone:
			t.Fatal("it was there")
		default:
		}
		gone, stop = lookedAt(path, ours)
		defer stop()
		if err := os.Rename(path, path+".moved"); err != nil {
			t.Fatal(err)
		}
		<-gone
	})
}
