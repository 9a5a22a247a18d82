package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a boo that was killed has left of a snapshot is a name of the chat's file;
// elsewhere, with the repository on another file system, say, a file of its own.
func TestTheKeepFileOfASnapshotThatWasCutOffGoesWithTheNext(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/f", "one\n")
	f.commit()
	wt := f.create()
	f.snapshot(wt)
	one := filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "keep")
	left := f.repo + "/.git/objects/pack/pack-" + strings.Repeat("1", 40) + ".keep"
	others := f.repo + "/.git/objects/pack/pack-" + strings.Repeat("2", 40) + ".keep"
	f.write(others, "mine\n")
	for _, leave := range []func(){
		func() { f.must(os.Link(one, left)) },
		func() { f.must(os.Remove(one)); f.write(left, "boo chat "+string(wt.Chat)+"\n") },
	} {
		leave()
		f.write(string(wt.Dir)+"/f", "two\n")
		f.snapshot(wt)
		if kept, _ := filepath.Glob(f.repo + "/.git/objects/pack/*.keep"); len(kept) != 1 || kept[0] != others {
			t.Errorf("kept: %v", kept)
		}
	}
}

// A packs directory that no second name can be made in is no harm.
func TestAPackIsKeptWithoutASecondName(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/f", "one\n")
	f.commit()
	wt := f.create()
	f.snapshot(wt)
	one := filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "keep")
	f.must(os.Remove(one))
	f.mkdir(one) // which has no second name
	f.write(string(wt.Dir)+"/f", "two\n")
	f.snapshot(wt)
	if kept, _ := filepath.Glob(f.repo + "/.git/objects/pack/*.keep"); len(kept) != 0 {
		t.Errorf("kept: %v", kept)
	}
}

func TestTheMemoryOfTheNewestSnapshotIsNotBelievedWhenItIsTorn(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/f", "one\n")
	f.commit()
	wt := f.create()
	newest := filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "newest")
	for _, tear := range []func(content []byte) []byte{
		func(c []byte) []byte { return c },
		func(c []byte) []byte { return append(c, c...) },
		func(c []byte) []byte { return c[:len(c)/2] },
		func(c []byte) []byte { return c[:20] },
		func(c []byte) []byte { c[50] ^= 1; return c }, // in the tree's id
		func(c []byte) []byte { c[len(c)-30] ^= 1; return c },
	} {
		for _, content := range []string{"two\n", "a longer one\n"} {
			f.write(string(wt.Dir)+"/f", content)
			f.write(string(wt.Dir)+"/"+strings.Repeat("n", len(content)), content)
			f.snapshot(wt)
			f.remove(string(wt.Dir) + "/" + strings.Repeat("n", len(content)))
			content, err := os.ReadFile(newest)
			f.must(err)
			f.write(newest, string(tear(content)))
			if snap, want := f.snapshot(wt), f.oracle(wt, nil, nil); snap.Tree != want {
				t.Errorf("%s, want %s", snap.Tree, want)
			}
		}
	}
	if files, _ := filepath.Glob(filepath.Dir(newest) + "/*"); len(files) > 8 {
		t.Errorf("it leaves %v", files)
	}
}
