package pending_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStagesWhereTheGitDirectoryCannotHoldOne(t *testing.T) {
	t.Parallel()
	w, before, after := crashWorld(t)
	write(t, string(w.at.GitDir), map[string]string{"boo": "a file of somebody else's"})
	w.mustApply()
	same(t, "applied", tree(t, w.repo), after)
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), before)
	for _, step := range []int{4, 12} {
		if !w.die("apply", step) {
			t.Fatalf("apply has fewer than %d steps", step)
		}
		w.checkRecovered("killed", before, after)
	}
}

func TestALinkPlantedForTheStagesIsNeitherEnteredNorSwept(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"boo", "boo/applies"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w, _, after := crashWorld(t)
			// Names and structure are those of stages.
			write(t, w.dir, map[string]string{"precious/abcdefghjk/new/f": "x", "precious/applies/abcdefghjk/new/f": "x"})
			precious := tree(t, filepath.Join(w.dir, "precious"))
			link := filepath.Join(string(w.at.GitDir), at)
			if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(w.dir, "precious"), link); err != nil {
				t.Fatal(err)
			}
			if _, err := w.apply(); err != nil {
				t.Fatal(err)
			}
			same(t, "applied", tree(t, w.repo), after)
			if _, err := w.undo(); err != nil {
				t.Fatal(err)
			}
			same(t, "behind the link", tree(t, filepath.Join(w.dir, "precious")), precious)
		})
	}
}

func TestLeftStagesAreSweptAndOtherThingsBesideThemAreNot(t *testing.T) {
	t.Parallel()
	w, _, _ := crashWorld(t)
	if !w.die("apply", 3) { // before the record is written
		t.Fatal("apply got to its end")
	}
	applies := filepath.Join(string(w.at.GitDir), "boo", "applies")
	if left, err := os.ReadDir(applies); err != nil || len(left) != 1 {
		t.Fatalf("%v %v, want one stage", left, err)
	}
	write(t, applies, map[string]string{"not-ours/f": "x"})
	if r, err := w.apply(); err != nil {
		t.Fatalf("apply: %v %v", err, r.Conflict)
	}
	left, err := os.ReadDir(applies)
	if err != nil || len(left) != 1 || left[0].Name() != "not-ours" {
		t.Errorf("left %v %v", left, err)
	}
}

func TestADirectoryThatForbidsRemovalGoesAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"d/f": "x"})
	w.turn("goose", func(dir string) {
		write(t, dir, map[string]string{"d": "-"})
		write(t, dir, map[string]string{"d": "file"})
	})
	if err := os.MkdirAll(filepath.Join(w.repo, "d", "empty", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(w.repo, "d", "empty"), 0o555); err != nil {
		t.Fatal(err)
	}
	w.mustApply()
	same(t, "applied", tree(t, w.repo), tree(t, w.agent))
}
