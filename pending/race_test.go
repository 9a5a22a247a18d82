package pending_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"boo/orchestrator"
	"boo/pending"
)

// onStep runs do before the n-th step of a name.
func (w *world) onStep(name string, n int, do func()) {
	w.engine.OnStep(func(step string) {
		if step == name {
			if n--; n == 0 {
				do()
			}
		}
	})
}

func TestAnEditInTheSameMomentWinsAndEverythingElseGoesBack(t *testing.T) {
	t.Parallel()
	inPlace := func(path, content string) func(*testing.T) {
		return func(t *testing.T) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|os.O_CREATE, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	byRename := func(path, content string) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.WriteFile(path+"~", []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+"~", path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		step string
		n    int
		path string
		save func(path, content string) func(*testing.T)
	}{
		"before anything is moved, in place":           {"hold", 1, "b", inPlace},
		"before anything is moved, by rename":          {"hold", 1, "b", byRename},
		"before its file is moved, in place":           {"aside", 2, "b", inPlace},
		"before its file is moved, by rename":          {"aside", 2, "b", byRename},
		"while its file is aside":                      {"place", 2, "b", inPlace},
		"while another is placed, over what is placed": {"place", 3, "b", byRename},
		"in place over what is placed":                 {"place", 3, "b", inPlace},
		"at the last moment, by rename":                {"read back", 1, "b", byRename},
		"at the last moment, in place":                 {"read back", 1, "b", inPlace},
		"where a new file is to be":                    {"place", 4, "new", inPlace},
		"with the same size":                           {"aside", 2, "b", func(p, _ string) func(*testing.T) { return inPlace(p, "X\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
			before := tree(t, w.repo)
			w.turn("goose", w.edit(map[string]string{"a": "2\n", "b": "2\n", "c": "2\n", "new": "2\n"}))
			saved := "mine now\n"
			if name == "with the same size" {
				saved = "X\n"
			}
			w.onStep(c.step, c.n, func() { c.save(filepath.Join(w.repo, c.path), saved)(t) })
			r, err := w.apply()
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
				t.Fatalf("error %v, result %+v", err, r)
			}
			before[c.path] = "-rw-r--r-- " + saved
			same(t, "after the race", tree(t, w.repo), before)
			w.engine.OnStep(func(string) {})
			w.checkClean()
			w.checkSet()
		})
	}
}

func TestASymlinkPlantedOnTheWayLeadsNowhere(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"stage", "hold", "aside", "place"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"d/f": "1\n"})
			outside := filepath.Join(w.dir, "outside")
			write(t, w.dir, map[string]string{"outside/f": "1\n"})
			w.turn("goose", w.edit(map[string]string{"d/f": "2\n", "d/new": "2\n", "e/new": "2\n"}))
			w.onStep(step, 1, func() {
				write(t, w.repo, map[string]string{"e": "-> " + outside})
				if err := os.Rename(filepath.Join(w.repo, "d"), filepath.Join(w.repo, "moved")); err != nil {
					t.Error(err)
				}
				write(t, w.repo, map[string]string{"d": "-> " + outside})
			})
			if _, err := w.apply(); err == nil {
				t.Error("applied through a symlink")
			}
			same(t, "outside", tree(t, outside), map[string]string{".": "directory", "f": "-rw-r--r-- 1\n"})
		})
	}
}

func TestInterruptedBetweenTwoFilesGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n"})
	before := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"a": "2\n", "b": "2\n"}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.onStep("place", 1, cancel)
	req := orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending()}
	if _, err := w.engine.Apply(ctx, req); orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Errorf("error %v", err)
	}
	same(t, "after the interrupt", tree(t, w.repo), before)
	w.checkClean()
	w.checkSet()
}

// touching is the real git, after whose reading of files something happens to them,
// so many times.
type touching struct {
	pending.Git
	times int
	touch func()
}

func (g *touching) Current(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) (map[orchestrator.Path]orchestrator.Reading, error) {
	read, err := g.Git.Current(ctx, c, paths, hints)
	if g.times > 0 {
		g.times--
		g.touch()
	}
	return read, err
}

// A file that is touched while it is read, as by a stage that is cleared, is read
// again: with what it holds then.
func TestAFileTouchedWhileItIsReadIsReadAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times int
		touch func(path string) error
		want  orchestrator.Code
	}{
		"another name of it goes": {1, func(path string) error { return errors.Join(os.Link(path, path+"2"), os.Remove(path+"2")) }, ""},
		"it is written as it was": {1, func(path string) error { return os.WriteFile(path, []byte("1\n"), 0o644) }, ""},
		"it is saved by somebody": {1, func(path string) error { return os.WriteFile(path, []byte("mine\n"), 0o644) }, orchestrator.CodeConflict},
		"again and again":         {9, func(path string) error { return os.WriteFile(path, []byte("1\n"), 0o644) }, orchestrator.CodeConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a": "1\n"})
			w.turn("goose", w.edit(map[string]string{"a": "2\n"}))
			path := filepath.Join(w.repo, "a")
			w.engine = pending.New(&touching{Git: w.git, times: c.times, touch: func() {
				if err := c.touch(path); err != nil {
					t.Error(err)
				}
			}}, w.store, w.locks)
			_, err := w.apply()
			if (err != nil) != (c.want != "") || err != nil && orchestrator.CodeOf(err) != c.want {
				t.Errorf("apply says %v, want %v", err, c.want)
			}
		})
	}
}
