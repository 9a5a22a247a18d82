package store_test

import (
	"testing"

	"boo/orchestrator"
)

func TestTheNewestSizeOfAWorktreeIsKept(t *testing.T) {
	f := newFixture(t)
	size := orchestrator.TreeSize{TreeUsage: orchestrator.TreeUsage{Bytes: 4096, Snapshots: 12, Dirs: 3}, Measured: moment}
	must(t, f.PutSize(f.ctx, f.chat, size))
	size.Bytes = 8192
	must(t, f.PutSize(f.ctx, f.chat, size))
	sizes, err := f.Sizes(f.ctx)
	must(t, err)
	equal(t, "sizes", sizes, map[orchestrator.ChatID]orchestrator.TreeSize{f.chat: size})
	wantCode(t, orchestrator.CodeNotFound, f.PutSize(f.ctx, orchestrator.NewChatID(), size))
}
