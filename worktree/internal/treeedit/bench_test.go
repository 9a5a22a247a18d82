package treeedit_test

import (
	"fmt"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/treeedit"
)

// A tree of 90,000 files in 5,000 directories, with 1, 10 and 1,000 changed.
func BenchmarkEdit(b *testing.B) {
	path := func(i int) orchestrator.Path {
		return orchestrator.Path(fmt.Sprintf("drivers/subsystem%03d/device%04d/file%05d.c", i%90, i%5000, i))
	}
	entry := func(i int) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: objectid.SHA1.Of(objectid.Blob, fmt.Append(nil, i))}
	}
	all := edits{}
	for i := range 90_000 {
		all[path(i)] = entry(i)
	}
	trees := store{}
	root := trees.edit(b, objectid.SHA1, "", all)
	for _, n := range []int{1, 10, 1000} {
		list := edits{}
		for i := range n {
			list[path(i*83)] = entry(-i)
		}
		b.Run(fmt.Sprintf("%dof90k", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := treeedit.Edit(b.Context(), objectid.SHA1, root, trees.read, list); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
