package dircache_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

func TestWhatIsWrittenIsAnIndexToGit(t *testing.T) {
	for format, id := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		r := newRepo(t, "--object-format="+format)
		r.populate()
		r.git("update-index", "--index-version", "4")
		r.git("update-index", "--skip-worktree", "a")
		before := r.git("ls-files", "--debug", "-v", "-s")
		x := r.read(id)
		if err := x.WriteFile(r.indexFile()); err != nil {
			t.Fatal(err)
		}
		if after := r.git("ls-files", "--debug", "-v", "-s"); after != before {
			t.Errorf("%s: git reads\n%s\nwant\n%s", format, after, before)
		}
		r.git("fsck", "--strict")
		if got := r.git("diff-files", "--name-only"); got != "" {
			t.Errorf("%s: git takes unchanged files for changed: %s", format, got)
		}
		if got := r.read(id).AsOf(); !got.Equal(x.AsOf()) {
			t.Errorf("%s: the index is as of %v, want %v", format, got, x.AsOf())
		}
	}
}

func TestAnIndexHeldByAnotherIsLeftAlone(t *testing.T) {
	r := newRepo(t)
	r.populate()
	x := r.read(objectid.SHA1)
	r.write(".git/index.lock", "")
	if err := x.WriteFile(r.indexFile()); err == nil || !strings.Contains(err.Error(), dircache.ErrLocked.Error()) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if _, err := os.Stat(r.path(".git/index.lock")); err != nil {
		t.Errorf("the other's lock: %v", err)
	}
}

// Random edits, among them files that become directories and back, end in the
// entries that "git update-index" ends in.
func TestEditsAreThoseOfUpdateIndex(t *testing.T) {
	r := newRepo(t)
	r.write("seed", "x")
	r.git("add", "seed")
	id := orchestrator.ObjectID(strings.Fields(r.git("ls-files", "-s"))[1])
	rng := rand.New(rand.NewPCG(1, 2))
	modes := []orchestrator.FileMode{orchestrator.ModeRegular, orchestrator.ModeExec, orchestrator.ModeSymlink}
	x := r.read(objectid.SHA1)
	for round := range 60 {
		var put []dircache.Entry
		var remove []orchestrator.Path
		var script strings.Builder
		taken := map[string]bool{}
		for range rng.IntN(6) {
			p := randomPath(rng)
			if taken[strings.SplitN(p, "/", 2)[0]] {
				continue
			}
			taken[strings.SplitN(p, "/", 2)[0]] = true
			if rng.IntN(3) == 0 {
				remove = append(remove, path(p))
				fmt.Fprintf(&script, "0 %s\t%s\n", strings.Repeat("0", 40), p)
				continue
			}
			mode := modes[rng.IntN(len(modes))]
			put = append(put, dircache.Entry{Path: path(p), Mode: mode, ID: id})
			fmt.Fprintf(&script, "%o %s\t%s\n", mode, id, p)
		}
		if err := x.Edit(put, remove); err != nil {
			t.Fatal(err)
		}
		r.feed(script.String(), "update-index", "--replace", "--index-info")
		if t.Failed() {
			t.Fatalf("round %d: %s", round, script.String())
		}
		r.wantListing(x)
	}
}

// randomPath draws from few names, so that files and directories collide.
func randomPath(rng *rand.Rand) string {
	parts := make([]string, 1+rng.IntN(3))
	for i := range parts {
		parts[i] = []string{"a", "a.b", "a-b", "a0", "b", "c"}[rng.IntN(6)]
	}
	return strings.Join(parts, "/")
}

func TestEntriesThatCannotStandInAnIndexChangeNothing(t *testing.T) {
	r := newRepo(t)
	r.populate()
	x := r.read(objectid.SHA1)
	before := listing(x)
	id := x.Entries()[0].ID
	entry := func(p string) dircache.Entry {
		return dircache.Entry{Path: path(p), Mode: orchestrator.ModeRegular, ID: id}
	}
	for name, put := range map[string][]dircache.Entry{
		"path upwards":   {entry("../x")},
		"empty part":     {entry("x//y")},
		"NUL":            {entry("x\x00y")},
		"directory mode": {{Path: "x", Mode: 0o40000, ID: id}},
		"id of another":  {{Path: "x", Mode: orchestrator.ModeRegular, ID: "12"}},
		"twice":          {entry("x"), entry("x")},
		"file below one": {entry("x"), entry("x-y"), entry("x/y")},
	} {
		if err := x.Edit(put, []orchestrator.Path{"a.txt"}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if listing(x) != before {
		t.Error("a refused edit changed the index")
	}
}

func TestUnderListsADirectoryAndNothingBesideIt(t *testing.T) {
	r := newRepo(t)
	r.populate()
	x := r.read(objectid.SHA1)
	var got []string
	for _, e := range x.Under("dir") {
		got = append(got, string(e.Path))
	}
	if want := "dir/one dir/sub/two"; strings.Join(got, " ") != want {
		t.Errorf("below dir: %q, want %q", got, want)
	}
	if len(x.Under("")) != len(x.Entries()) {
		t.Error("below the top is not everything")
	}
}

func TestTreeCacheKnowsWhatGitKnowsAndForgetsWhatIsEdited(t *testing.T) {
	r := newRepo(t)
	r.populate()
	r.git("write-tree")
	x := r.read(objectid.SHA1)
	want := func(dir, rev string) {
		t.Helper()
		if got, ok := x.Tree(path(dir)); !ok || string(got) != strings.TrimSpace(r.git("rev-parse", rev)) {
			t.Errorf("tree of %q = %s, %v", dir, got, ok)
		}
	}
	want("", "HEAD^{tree}")
	want("dir", "HEAD:dir")
	want("dir/sub", "HEAD:dir/sub")
	e := *x.Lookup("dir/one")
	e.Mode = orchestrator.ModeExec
	if err := x.Edit([]dircache.Entry{e}, nil); err != nil {
		t.Fatal(err)
	}
	want("dir/sub", "HEAD:dir/sub")
	for _, dir := range []string{"", "dir"} {
		if id, ok := x.Tree(path(dir)); ok {
			t.Errorf("tree of %q is still %s after an edit below", dir, id)
		}
	}
	if err := x.WriteFile(r.indexFile()); err != nil {
		t.Fatal(err)
	}
	r.git("write-tree")
	if got := r.git("diff-index", "--cached", "--name-only", "HEAD"); got != "dir/one\n" {
		t.Errorf("git finds %q changed", got)
	}
}

func TestTreesThatAreSetServeGit(t *testing.T) {
	r := newRepo(t)
	r.populate()
	old := r.read(objectid.SHA1)
	x := dircache.New(objectid.SHA1, old.AsOf())
	if err := x.Edit(old.Entries(), nil); err != nil {
		t.Fatal(err)
	}
	ids := map[orchestrator.Path]orchestrator.ObjectID{"": orchestrator.ObjectID(strings.TrimSpace(r.git("rev-parse", "HEAD^{tree}")))}
	for line := range strings.Lines(r.git("ls-tree", "-r", "-d", "HEAD")) {
		info, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		ids[path(name)] = orchestrator.ObjectID(strings.Fields(info)[2])
	}
	x.SetTrees(ids)
	if err := x.WriteFile(r.indexFile()); err != nil {
		t.Fatal(err)
	}
	again := r.read(objectid.SHA1)
	for dir, id := range ids {
		if got, ok := again.Tree(dir); got != id || !ok {
			t.Errorf("tree of %q = %s, %v, want %s", dir, got, ok, id)
		}
	}
	if got := strings.TrimSpace(r.git("write-tree")); got != string(ids[""]) {
		t.Errorf("git writes tree %s, want %s", got, ids[""])
	}
	if got := r.git("status", "--porcelain"); got != "" {
		t.Errorf("git status: %s", got)
	}
}

func TestEditKeepsTimes(t *testing.T) {
	asOf := time.Unix(1_700_000_000, 5)
	x := dircache.New(objectid.SHA1, asOf)
	if err := x.Edit([]dircache.Entry{{Path: "f", Mode: orchestrator.ModeRegular, ID: objectid.SHA1.EmptyBlob()}}, nil); err != nil {
		t.Fatal(err)
	}
	if !x.AsOf().Equal(asOf) {
		t.Errorf("as of %v, want %v", x.AsOf(), asOf)
	}
}
