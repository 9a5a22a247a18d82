package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

// packBytes is what the packs of the person's repository take.
func (f *fixture) packBytes() (packs int, bytes int64) {
	files, _ := filepath.Glob(f.repo + "/.git/objects/pack/*.pack")
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			bytes += info.Size()
		}
	}
	return len(files), bytes
}

// poem is text that does not compress to nothing.
func poem(lines, changed int) string {
	var b strings.Builder
	for i := range lines {
		n := uint64(i+1) * 0x9e3779b97f4a7c15
		if i == changed {
			n++
		}
		fmt.Fprintf(&b, "%016x %016x %016x\n", n, n*n, n^n>>13)
	}
	return b.String()
}

func TestAHundredTurnsOfOneLineInAMegabyteCostLessThanAMegabyte(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(f.repo+"/poem.txt", poem(20_000, -1))
	f.commit()
	f.git(f.repo, "repack", "-adq")
	_, before := f.packBytes()
	wt := f.create()
	turns, most := 100, 0
	if detecting {
		turns = 24 // each compresses a megabyte, which takes the detector most of a second
	}
	for turn := range turns {
		f.write(string(wt.Dir)+"/poem.txt", poem(20_000, turn))
		f.snapshot(wt)
		if err := f.engine.Maintain(t.Context(), wt.CommonDir); err != nil {
			t.Fatal(err)
		}
		packs, _ := f.packBytes()
		most = max(most, packs)
	}
	tight := f.opts
	tight.MaxPacks = 1
	if err := mustNew(t, tight).Maintain(t.Context(), wt.CommonDir); err != nil {
		t.Fatal(err)
	}
	if _, after := f.packBytes(); after-before >= 1_000_000 {
		t.Errorf("%d turns cost %d bytes", turns, after-before)
	} else {
		t.Logf("%d turns cost %d bytes, the file has %d; never more than %d packs", turns, after-before, len(poem(20_000, 0)), most)
	}
	if most > 23 {
		t.Errorf("there were %d packs at a time", most)
	}
	f.git(f.repo, "fsck", "--strict", "--connectivity-only")
	if n := f.git(f.repo, "rev-list", "--count", string(wt.Base)+"..refs/boo/chats/"+string(wt.Chat)+"/head"); n != strconv.Itoa(turns) {
		t.Errorf("the chain has %s snapshots", n)
	}
}

func TestMaintainTakesInWhatAppliesMadeOnceTheyAreLongOver(t *testing.T) {
	later := time.Duration(0)
	f := newFixture(t, func(o *worktree.Options) {
		o.MaxPacks, o.Now = 1, func() time.Time { return time.Now().Add(later) }
	})
	f.write(f.repo+"/poem.txt", poem(1000, -1))
	f.commit()
	wt := f.create()
	for turn := range 3 {
		tree := orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD^{tree}"))
		if _, err := f.engine.Commit(t.Context(), wt.CommonDir, tree, []orchestrator.ObjectID{wt.Base}, fmt.Sprint(turn)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{3, 1} {
		if err := f.engine.Maintain(t.Context(), wt.CommonDir); err != nil {
			t.Fatal(err)
		}
		if packs, _ := f.packBytes(); packs != want {
			t.Errorf("%d packs, want %d", packs, want)
		}
		later = 2 * time.Hour
	}
	if keeps, _ := filepath.Glob(f.repo + "/.git/objects/pack/*.keep"); len(keeps) > 0 {
		t.Errorf("%v are left", keeps)
	}
}

func TestSnapshotsThatGitTakesArePacksToo(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/.gitattributes", "*.txt ident\n") // so that git takes the snapshots
	f.write(f.repo+"/poem.txt", poem(1000, -1))
	f.commit()
	f.git(f.repo, "repack", "-adq")
	wt := f.create()
	for turn := range 5 {
		f.write(string(wt.Dir)+"/poem.txt", poem(1000, turn))
		f.snapshot(wt)
	}
	if loose, _ := filepath.Glob(f.repo + "/.git/objects/??/*"); len(loose) > 0 {
		t.Errorf("single objects: %v", loose)
	}
	if packs, _ := f.packBytes(); packs != 6 {
		t.Errorf("%d packs", packs)
	}
	f.git(f.repo, "fsck", "--strict")
}

func TestMaintainLosesNothingThatOthersReferTo(t *testing.T) {
	f := newFixture(t, func(o *worktree.Options) { o.MaxPacks = 1 })
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	for turn := range 3 {
		f.write(string(wt.Dir)+"/a.txt", fmt.Sprintf("turn %d\n", turn))
		f.snapshot(wt)
	}
	// The person's index and commit name blobs that only boo's packs have.
	f.write(f.repo+"/a.txt", "turn 1\n")
	f.git(f.repo, "commit", "-qam", "theirs")
	f.write(f.repo+"/a.txt", "turn 0\n")
	f.git(f.repo, "add", "a.txt")
	if err := f.engine.Release(t.Context(), wt.CommonDir, wt.Chat); err != nil {
		t.Fatal(err)
	}
	if refs := f.git(f.repo, "for-each-ref", "refs/boo"); refs != "" {
		t.Errorf("refs are left:\n%s", refs)
	}
	if err := f.engine.Maintain(t.Context(), wt.CommonDir); err != nil {
		t.Fatal(err)
	}
	if packs, _ := f.packBytes(); packs != 1 {
		t.Errorf("%d packs", packs)
	}
	f.git(f.repo, "fsck", "--strict")
	f.git(f.repo, "diff", "--cached", "--stat")
}

func TestMaintainGoesOnWhereItWasCutOff(t *testing.T) {
	f := newFixture(t, func(o *worktree.Options) { o.MaxPacks = 1 })
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	dir := f.repo + "/.git/objects/pack/"
	var snap orchestrator.Snapshot
	saved := map[string][]byte{}
	for turn := range 4 {
		f.write(string(wt.Dir)+"/a.txt", fmt.Sprintf("turn %d\n", turn))
		snap = f.snapshot(wt)
	}
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		saved[file.Name()], _ = os.ReadFile(dir + file.Name())
	}
	marks, _ := filepath.Glob(f.opts.Dir + "/packs/*/*")
	maintain := func() {
		t.Helper()
		if err := f.engine.Maintain(t.Context(), wt.CommonDir); err != nil {
			t.Fatal(err)
		}
		if packs, _ := f.packBytes(); packs != 1 {
			t.Errorf("%d packs", packs)
		}
		if left, _ := filepath.Glob(f.opts.Dir + "/packs/*/*"); len(left) != 1 {
			t.Errorf("%d marks", len(left))
		}
		f.git(f.repo, "fsck", "--strict")
		f.git(f.repo, "cat-file", "-e", string(snap.Commit))
	}
	maintain()
	// Killed before anything was removed.
	for name, content := range saved {
		f.write(dir+name, string(content))
	}
	for _, mark := range marks {
		f.write(mark, "")
	}
	maintain()
	// Killed in the midst of a removal: the index is gone, the pack is not.
	for name, content := range saved {
		if strings.HasSuffix(name, ".pack") {
			f.write(dir+name, string(content))
		}
	}
	for _, mark := range marks {
		f.write(mark, "")
	}
	maintain()
}

// All chats take the same snapshots in the same second, so that what one writes is
// there already, and may go, by another's.
func TestMaintainBesideSnapshotsAndCollections(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *worktree.Options) {
		o.MaxPacks, o.Now = 2, func() time.Time { return time.Unix(1700000000, 0) }
	})
	f.write(f.repo+"/a.txt", poem(200, -1))
	f.commit()
	chats := []orchestrator.Worktree{f.create(), f.create(), f.create(), f.create()}
	ctx, cancel := context.WithCancel(t.Context())
	var background, work sync.WaitGroup
	for _, job := range []func() error{
		func() error { return f.engine.Maintain(ctx, chats[0].CommonDir) },
		func() error {
			// Two at a time is git's own to refuse; what fails here proves nothing.
			_, _ = f.tryGit(f.repo, "gc", "-q", "--prune=now")
			return nil
		},
	} {
		background.Go(func() {
			for ctx.Err() == nil {
				if err := job(); err != nil && ctx.Err() == nil {
					var git *worktree.GitError
					if !errors.As(err, &git) { // git says so where a collection took what it was reading
						t.Error(err)
					}
				}
			}
		})
	}
	for _, wt := range chats {
		work.Go(func() {
			for turn := range 10 {
				f.write(string(wt.Dir)+"/a.txt", poem(200, turn))
				if _, err := f.engine.Snapshot(t.Context(), wt, goose, "turn\n"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	cancel()
	background.Wait()
	f.git(f.repo, "fsck", "--strict", "--connectivity-only")
	for _, wt := range chats {
		if n := f.git(f.repo, "rev-list", "--count", string(wt.Base)+"..refs/boo/chats/"+string(wt.Chat)+"/head"); n != "10" {
			t.Errorf("the chain has %s snapshots", n)
		}
	}
}

func TestManyRefsArePackedAndStayWhatTheyAre(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	base := f.commit()
	for i := range 120 {
		f.write(fmt.Sprintf("%s/.git/refs/boo/chats/c%07d/base", f.repo, i), string(base)+"\n")
	}
	wt := f.create()
	f.write(string(wt.Dir)+"/a.txt", "b\n")
	first := f.snapshot(wt)
	before := f.git(f.repo, "for-each-ref")
	if err := f.engine.Maintain(t.Context(), wt.CommonDir); err != nil {
		t.Fatal(err)
	}
	if after := f.git(f.repo, "for-each-ref"); after != before {
		t.Errorf("refs changed:\n%s\nwere:\n%s", after, before)
	}
	if left, _ := filepath.Glob(f.repo + "/.git/refs/boo/chats/*/base"); len(left) > 0 {
		t.Errorf("%d refs are files still", len(left))
	}
	f.write(string(wt.Dir)+"/a.txt", "c\n")
	if second := f.snapshot(wt); second.Parent != first.Commit {
		t.Error("the chain goes on from somewhere else")
	}
}
