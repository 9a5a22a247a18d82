package dircache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

const manyFiles = 90_000

func manyEntries() *dircache.Index {
	x := dircache.New(objectid.SHA1, time.Unix(1_700_000_000, 0))
	entries := make([]dircache.Entry, manyFiles)
	for i := range entries {
		entries[i] = dircache.Entry{
			Path: orchestrator.Path(fmt.Sprintf("drivers/subsystem%03d/device%04d/file%05d.c", i%90, i%5000, i)),
			Mode: orchestrator.ModeRegular, ID: objectid.SHA1.Of(objectid.Blob, fmt.Append(nil, i)),
			Stat: dircache.Stat{MtimeSec: 1_600_000_000, Size: uint32(i)},
		}
	}
	if err := x.Edit(entries, nil); err != nil {
		panic(err)
	}
	return x
}

func BenchmarkRead90k(b *testing.B) {
	file := filepath.Join(b.TempDir(), "index")
	if err := manyEntries().WriteFile(file); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		x, err := dircache.Read(file, objectid.SHA1)
		if err != nil || len(x.Entries()) != manyFiles {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite90k(b *testing.B) {
	file := filepath.Join(b.TempDir(), "index")
	if err := manyEntries().WriteFile(file); err != nil {
		b.Fatal(err)
	}
	x, err := dircache.Read(file, objectid.SHA1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := x.WriteFile(file); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEdit10Of90k(b *testing.B) {
	x := manyEntries()
	var put []dircache.Entry
	for i := range 10 {
		put = append(put, x.Entries()[i*9_000])
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Edit(put, []orchestrator.Path{"drivers/none"}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNinetyThousandEntriesSurviveARound(t *testing.T) {
	x := manyEntries()
	file := filepath.Join(t.TempDir(), "index")
	if err := x.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	y, err := dircache.Read(file, objectid.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	if listing(x) != listing(y) {
		t.Error("entries differ after a round")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
