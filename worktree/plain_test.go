package worktree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// Whatever the rules say, what is read and written without git is what git
// reads and writes.
func TestFilesAreReadAndWrittenAsGitWould(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			f := newFixture(t)
			if seed%3 == 0 {
				f.git(f.repo, "config", "core.autocrlf", []string{"true", "input", "false"}[rnd.IntN(3)])
			}
			if seed%4 == 1 {
				f.git(f.repo, "config", "core.eol", []string{"lf", "crlf"}[rnd.IntN(2)])
			}
			scatter(f, rnd)
			f.git(f.repo, "add", "-A")
			f.git(f.repo, "commit", "-q", "--allow-empty", "-m", "base")
			hints := entriesOf(t, f, "ls-files", "-s", "-z")
			for _, dir := range plainDirs {
				if rnd.IntN(2) == 0 {
					f.write(filepath.Join(f.repo, dir+".gitattributes"), pick(rnd, plainRules)+"\n"+pick(rnd, plainRules)+"\n")
				}
			}
			scatter(f, rnd)
			age(t, f.repo) // git does not read a file again because of its rules
			f.git(f.repo, "add", "-A")
			want := entriesOf(t, f, "ls-files", "-s", "-z")
			var paths []orchestrator.Path
			for path := range want {
				paths = append(paths, path)
			}
			c := f.checkout(f.repo)
			got, err := f.engine.Current(t.Context(), c, paths, hints)
			if err != nil {
				t.Fatal(err)
			}
			for path, entry := range want {
				if got[path].Entry != entry {
					t.Errorf("%q is read as %v, git reads it as %v", path, got[path], entry)
				}
			}
			mine, gits := f.root+"/mine", f.root+"/gits"
			f.mkdir(mine)
			f.git(f.repo, "checkout-index", "-a", "--prefix="+gits+"/")
			held, done := f.engine.Hold(t.Context(), c)
			defer done()
			if err := f.engine.Materialize(held, c, mine, want, byPath); err != nil {
				t.Fatal(err)
			}
			for path := range want {
				if a, b := describe(mine, path), describe(gits, path); a != b {
					t.Errorf("%q is written as %q, git writes %q", path, a, b)
				}
			}
		})
	}
}

var (
	plainDirs  = []string{"", "a/", "a/b/", "c d/"}
	plainNames = []string{"one.txt", "two.bin", "three", "line\nbreak.txt", `quo"te`, "latin\xe9.txt", "four.id", ".github"}
	plainLines = []string{"one\n", "one\r\n", "$Id$\n", "\x00\x01", "last", "", "mixed\r", "version https://git-lfs\n"}
	plainRules = []string{
		"* text=auto", "*.txt text", "*.txt eol=crlf", "*.bin -text", "*.txt eol=lf", "*.u16 working-tree-encoding=UTF-16LE",
		"*.id ident", "*.txt crlf", "* filter=lfs",
	}
)

func pick(rnd *rand.Rand, from []string) string { return from[rnd.IntN(len(from))] }

// scatter writes most of the files anew: symlinks and files, some executable.
func scatter(f *fixture, rnd *rand.Rand) {
	for _, dir := range plainDirs {
		for _, name := range plainNames {
			if rnd.IntN(3) == 0 {
				continue
			}
			var content strings.Builder
			for range rnd.IntN(4) {
				content.WriteString(pick(rnd, plainLines))
			}
			path := filepath.Join(f.repo, dir+name)
			f.mkdir(filepath.Dir(path))
			_ = os.Remove(path)
			if rnd.IntN(8) == 0 {
				f.symlink(strings.ReplaceAll(content.String(), "\x00", "")+"x", path)
				continue
			}
			f.write(path, content.String())
			if err := os.Chmod(path, 0o644|os.FileMode(rnd.IntN(2)*0o111)); err != nil {
				f.t.Fatal(err)
			}
		}
	}
}

// age makes every file look newer than any index knows it.
func age(t *testing.T, dir string) {
	t.Helper()
	later := time.Now().Add(time.Minute)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			return os.Chtimes(path, later, later)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func entriesOf(t *testing.T, f *fixture, args ...string) map[orchestrator.Path]orchestrator.Entry {
	t.Helper()
	list := map[orchestrator.Path]orchestrator.Entry{}
	for line := range strings.SplitSeq(f.git(f.repo, args...), "\x00") {
		var mode uint32
		var id string
		info, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(info, "%o %s", &mode, &id); err != nil {
			t.Fatal(err, line)
		}
		list[orchestrator.Path(path)] = orchestrator.Entry{Mode: orchestrator.FileMode(mode), ID: orchestrator.ObjectID(id)}
	}
	return list
}

func describe(dir string, path orchestrator.Path) string {
	name := filepath.Join(dir, string(path))
	info, err := os.Lstat(name)
	if err != nil {
		return err.Error()
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, _ := os.Readlink(name)
		return "-> " + target
	}
	content, _ := os.ReadFile(name)
	return info.Mode().String() + " " + string(content)
}
