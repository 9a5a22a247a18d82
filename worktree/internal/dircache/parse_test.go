package dircache_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

func TestEveryVersionReadsAsGitListsIt(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for format, id := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
			t.Run(version+" "+format, func(t *testing.T) {
				r := newRepo(t, "--object-format="+format)
				r.populate()
				if version == "3" {
					r.git("update-index", "--skip-worktree", "a")
				} else {
					r.git("update-index", "--index-version", version)
				}
				x := r.read(id)
				if got := strconv.Itoa(int(x.Version())); got != version {
					t.Errorf("read version %s", got)
				}
				r.wantListing(x)
				wantStatsOfGit(t, r, x)
			})
		}
	}
}

// wantStatsOfGit compares with the numbers that git itself prints.
func wantStatsOfGit(t *testing.T, r repo, x *dircache.Index) {
	t.Helper()
	debug := r.git("ls-files", "--debug", "-z")
	for _, e := range x.Entries() {
		s := e.Stat
		num := func(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
		want := string(e.Path) + "\x00  ctime: " + num(s.CtimeSec) + ":" + num(s.CtimeNsec) + "\n  mtime: " + num(s.MtimeSec) + ":" + num(s.MtimeNsec) +
			"\n  dev: " + num(s.Dev) + "\tino: " + num(s.Ino) + "\n  uid: " + num(s.UID) + "\tgid: " + num(s.GID) + "\n  size: " + num(s.Size) + "\t"
		if !strings.Contains(debug, want) {
			t.Errorf("git does not print %q", want)
		}
	}
}

func TestMarksOfEntriesAreRead(t *testing.T) {
	r := newRepo(t)
	r.populate()
	r.write("later", "x")
	r.git("add", "-N", "later")
	r.git("update-index", "--assume-unchanged", "a.txt")
	r.git("update-index", "--skip-worktree", "dir0")
	x := r.read(objectid.SHA1)
	for name, want := range map[string]dircache.Flags{
		"later": dircache.IntentToAdd, "a.txt": dircache.AssumeValid, "dir0": dircache.SkipWorktree, "empty": 0,
	} {
		if got := x.Lookup(path(name)).Flags; got != want {
			t.Errorf("%s has flags %d, want %d", name, got, want)
		}
	}
}

func TestSidesOfAnOpenMergeAreRead(t *testing.T) {
	r := newRepo(t)
	r.write("f", "base\n")
	r.git("add", "f")
	id := strings.Fields(r.git("ls-files", "-s"))[1]
	r.feed("0 "+strings.Repeat("0", 40)+"\tf\n100644 "+id+" 1\tf\n100755 "+id+" 2\tf\n100644 "+id+" 3\tf\n", "update-index", "--index-info")
	x := r.read(objectid.SHA1)
	r.wantListing(x)
	if x.Lookup("f") != nil {
		t.Error("a path in conflict has an entry at stage 0")
	}
}

func TestExtensionsAreNoHindrance(t *testing.T) {
	r := newRepo(t)
	r.populate()
	r.git("update-index", "--force-untracked-cache")
	r.git("-c", "index.recordEndOfIndexEntries=true", "-c", "index.recordOffsetTable=true", "-c", "index.threads=4", "status")
	r.wantListing(r.read(objectid.SHA1))
}

func TestAnIndexWithoutChecksumIsRead(t *testing.T) {
	r := newRepo(t)
	r.populate()
	data, err := os.ReadFile(r.indexFile())
	if err != nil {
		t.Fatal(err)
	}
	clear(data[len(data)-20:])
	x, err := dircache.Parse(data, objectid.SHA1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r.wantListing(x)
}

func TestSplitAndSparseIndexesAreRefusedByName(t *testing.T) {
	want := func(r repo, feature string) {
		t.Helper()
		_, err := dircache.Read(r.indexFile(), objectid.SHA1)
		if e, ok := errors.AsType[*dircache.UnsupportedError](err); !ok || e.Feature != feature {
			t.Errorf("got %v, want a refusal of the %s", err, feature)
		}
	}
	split := newRepo(t)
	split.populate()
	split.git("update-index", "--split-index")
	want(split, "split index")

	sparse := newRepo(t)
	sparse.populate()
	sparse.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
	want(sparse, "sparse index")
}

func TestAMissingIndexIsReportedAsSuch(t *testing.T) {
	if _, err := dircache.Read(t.TempDir()+"/index", objectid.SHA1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoIndexIsRefused(t *testing.T) {
	r := newRepo(t)
	r.populate()
	good, err := os.ReadFile(r.indexFile())
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(change func(b []byte) []byte) []byte {
		b := change(slices.Clone(good))
		clear(b[max(0, len(b)-20):]) // so that the checksum is not what refuses it
		return b
	}
	for name, data := range map[string][]byte{
		"empty":            {},
		"a flipped bit":    func() []byte { b := slices.Clone(good); b[70] ^= 1; return b }(),
		"cut off":          spoil(func(b []byte) []byte { return b[:len(b)/2] }),
		"too many entries": spoil(func(b []byte) []byte { binary.BigEndian.PutUint32(b[8:], 1<<31); return b }),
		"one entry more":   spoil(func(b []byte) []byte { b[11]++; return b }),
		"another mode":     spoil(func(b []byte) []byte { b[12+26] = 0x11; return b }),
		"a path upwards": spoil(func(b []byte) []byte {
			return []byte(strings.Replace(string(b), "dir/one", "dir/../", 1))
		}),
		"another order": spoil(func(b []byte) []byte {
			return []byte(strings.Replace(string(b), "-dash", "zdash", 1))
		}),
	} {
		if _, err := dircache.Parse(data, objectid.SHA1, time.Now()); err == nil {
			t.Errorf("%s: accepted", name)
		} else if _, ok := errors.AsType[*dircache.CorruptError](err); !ok {
			t.Errorf("%s: %v is no CorruptError", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := newRepo(f)
	r.write("a/b", "1")
	r.write("a/c", "2")
	r.write("d", "3")
	for _, version := range []string{"2", "4"} {
		r.git("add", "-A")
		r.git("write-tree")
		r.git("update-index", "--index-version", version)
		data, err := os.ReadFile(r.indexFile())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		r.git("update-index", "--skip-worktree", "d")
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clear(data[max(0, len(data)-20):])
		x, err := dircache.Parse(data, objectid.SHA1, time.Unix(1e9, 0))
		if err != nil {
			return
		}
		again, err := x.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		y, err := dircache.Parse(again, objectid.SHA1, time.Unix(1e9, 0))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !slices.Equal(x.Entries(), y.Entries()) {
			t.Fatal("entries differ after a round")
		}
	})
}
