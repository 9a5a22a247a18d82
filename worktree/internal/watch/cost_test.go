package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"boo/worktree/internal/watch"
)

const manyDirs = 5000

func wideTree(t testing.TB) tree {
	tr := newTree(t)
	for i := range manyDirs {
		tr.mkdir(fmt.Sprintf("drivers/subsystem%02d/a-device-of-some-kind-%04d", i%70, i))
	}
	return tr
}

func TestAWatchedDirectoryCostsLessThanAKilobyte(t *testing.T) {
	tr := wideTree(t)
	before := heap()
	tr = tr.start(watch.Options{})
	perDir := (int64(heap()) - int64(before)) / manyDirs
	t.Logf("%d bytes per directory", perDir)
	if perDir >= 1024 {
		t.Errorf("%d bytes per directory", perDir)
	}
	runtime.KeepAlive(tr.w)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkStart5000Dirs(b *testing.B) {
	tr := wideTree(b)
	private := b.TempDir()
	for b.Loop() {
		w, err := watch.Start(tr.dir, watch.Options{Private: private})
		tr.must(err)
		b.StopTimer()
		tr.must(w.Close())
		b.StartTimer()
	}
}

func BenchmarkDrain(b *testing.B) {
	tr := watched(b, "f")
	for b.Loop() {
		tr.drain()
	}
}

func BenchmarkDrain1File(b *testing.B) {
	tr := watched(b, "f")
	name := filepath.Join(tr.dir, "f")
	for b.Loop() {
		tr.must(os.WriteFile(name, nil, 0o644))
		if len(tr.drain().Files) != 1 {
			b.Fatal("not reported")
		}
	}
}
