package pending_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// beside starts another chat on the same repository.
func (w *world) beside(name string) *world {
	w.t.Helper()
	other := *w
	other.agent = filepath.Join(w.dir, name)
	other.startChat()
	return &other
}

func (w *world) set() orchestrator.ConflictSet {
	return orchestrator.ConflictSet{Worktree: w.worktree(), Changes: w.pending()}
}

// collisions lists what boo says, each as "path with checkout" or "path".
func collisions(w *world, worlds ...*world) []string {
	w.t.Helper()
	req := orchestrator.ConflictRequest{Checkout: w.at}
	for _, one := range worlds {
		req.Sets = append(req.Sets, one.set())
	}
	found, err := w.engine.Conflicts(w.t.Context(), req)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []string
	for _, c := range found {
		switch {
		case c.Reason == "":
			w.t.Errorf("%s collides without a reason", c.Path)
		case c.With == nil && c.Checkout != w.at.Dir || c.With != nil && c.With.Chat == c.Change.Chat:
			w.t.Errorf("%s collides with itself or with nothing", c.Path)
		}
		side := string(c.Change.Chat) + " and checkout"
		if c.With != nil {
			side = "both"
		}
		list = append(list, fmt.Sprintf("%s: %s", c.Path, side))
	}
	return list
}

// What is said to collide is what an apply would refuse: alone, or after the
// other chat's change, in either order.
func TestConflictsAreWhatAppliesWouldRefuse(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 11))
			names := []string{"a", "b", "c", "d/e", "d/f"}
			files := map[string]string{}
			for _, name := range names[:4] {
				files[name] = strings.ReplaceAll(warText(r), "!", "")
			}
			one := newWorld(t, files)
			two := one.beside("chat2")
			for _, w := range []*world{one, two} {
				w.turn("goose", func(dir string) { conflictEdits(t, r, dir, names, files) })
			}
			conflictEdits(t, r, one.repo, names[:2], files)
			said := collisions(one, one, two)
			for _, path := range names {
				for _, w := range []*world{one, two} {
					line := fmt.Sprintf("%s: %s and checkout", path, w.chat)
					if got := slices.Contains(said, line); len(w.pending(orchestrator.Path(path))) > 0 && got == applies(w, path) {
						t.Errorf("%q is said: %v, but an apply says otherwise", line, got)
					}
				}
				if len(one.pending(orchestrator.Path(path))) == 0 || len(two.pending(orchestrator.Path(path))) == 0 || !applies(one, path) || !applies(two, path) {
					continue
				}
				fit := applyBoth(one, two, path) && applyBoth(two, one, path)
				if got := slices.Contains(said, path+": both"); got == fit {
					t.Errorf("%s is said to collide: %v; both orders apply: %v", path, got, fit)
				}
			}
		})
	}
}

// applies reports whether a change can be applied; it is not applied then.
func applies(w *world, path string) bool {
	w.t.Helper()
	_, err := w.apply(orchestrator.Path(path))
	if err == nil {
		w.mustUndo()
	} else if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		w.t.Fatal(err)
	}
	return err == nil
}

func applyBoth(first, second *world, path string) bool {
	first.t.Helper()
	first.mustApply(orchestrator.Path(path))
	ok := applies(second, path)
	first.mustUndo()
	return ok
}

// conflictEdits changes single lines, so that some of two changes meet.
func conflictEdits(t *testing.T, r *rand.Rand, dir string, names []string, base map[string]string) {
	for _, name := range names {
		content := base[name]
		switch k := r.IntN(8); {
		case k == 0:
			content = "-"
		case base[name] == "":
			content = fmt.Sprintf("new %d\n", r.IntN(2))
		case k < 6:
			line := fmt.Sprintf("line %d\n", r.IntN(8))
			content = strings.Replace(content, line, fmt.Sprintf("changed %d\n", r.IntN(2)), 1)
		}
		write(t, dir, map[string]string{name: content})
	}
}

func TestAFileOfOneChatAndADirectoryOfAnotherCollide(t *testing.T) {
	one := newWorld(t, map[string]string{"keep": "x\n"})
	two := one.beside("chat2")
	one.turn("goose", func(dir string) { write(t, dir, map[string]string{"new": "a file\n", "same": "s\n"}) })
	two.turn("qwen", func(dir string) { write(t, dir, map[string]string{"new/below": "deeper\n", "same": "s\n"}) })
	if got := collisions(one, one, two); !slices.Equal(got, []string{"new/below: both"}) {
		t.Errorf("got %q", got)
	}
}

func TestWithoutACheckoutChatsAreComparedWithEachOther(t *testing.T) {
	one := newWorld(t, map[string]string{"a": "1\n2\n3\n4\n5\n", "bin": "\x00\x01"})
	two := one.beside("chat2")
	one.turn("goose", func(dir string) { write(t, dir, map[string]string{"a": "one\n2\n3\n4\n5\n", "bin": "\x00\x02"}) })
	two.turn("qwen", func(dir string) { write(t, dir, map[string]string{"a": "1\n2\n3\n4\nfive\n", "bin": "\x00\x03"}) })
	write(t, one.repo, map[string]string{"a": "in the way\n"})
	found, err := one.engine.Conflicts(t.Context(), orchestrator.ConflictRequest{Sets: []orchestrator.ConflictSet{one.set(), two.set()}})
	if err != nil || len(found) != 1 || found[0].Path != "bin" || found[0].Reason != "both changed it, and it is binary" {
		t.Errorf("%v: %+v", err, found)
	}
}
