package pending_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boo/orchestrator"
)

// Two agents edit the chat's worktree and the person their checkout, in any
// order, and portions are applied and taken back in between. Whatever git merges
// without a conflict boo applies, to the same tree, and nothing else. More
// seeds: BOO_TEST_WARS=100.
func TestAWarOfEditsEndsAsGitMergesIt(t *testing.T) {
	t.Parallel()
	seeds, _ := strconv.Atoi(os.Getenv("BOO_TEST_WARS"))
	for seed := range uint64(max(seeds, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 4))
			w := newWorld(t, warFiles(rnd))
			for step := 0; step < 8 && !t.Failed(); step++ {
				for range 1 + rnd.IntN(2) {
					agent := []orchestrator.AgentName{"goose", "qwen"}[rnd.IntN(2)]
					w.turn(agent, func(dir string) { skirmish(t, rnd, dir) })
				}
				skirmish(t, rnd, w.repo)
				w.battle(rnd, step)
				w.checkSet()
			}
		})
	}
}

var warNames = []string{"a", "b", "d/x", "d/y", "d/e/z", "e"}

// warContent draws what a file is. No two names share a line, or git would take
// one for the other renamed, and follow.
func warContent(rnd *rand.Rand, name string) string {
	name = strings.ReplaceAll(name, "/", "-")
	switch rnd.IntN(8) {
	case 0:
		return "-> to-" + name + strconv.Itoa(rnd.IntN(3))
	case 1:
		return "\x00" + name + strconv.Itoa(rnd.IntN(3))
	}
	var lines []string
	for i := range 9 {
		lines = append(lines, fmt.Sprintf("%s %d", name, i))
	}
	for range rnd.IntN(3) {
		lines[rnd.IntN(len(lines))] = name + []string{" x", " y", " x\n" + name + " x"}[rnd.IntN(3)]
	}
	return []string{"", "+x:"}[rnd.IntN(4)/3] + strings.Join(lines, "\n") + []string{"\n", ""}[rnd.IntN(4)/3]
}

func warFiles(rnd *rand.Rand) map[string]string {
	files := map[string]string{}
	for _, name := range warNames {
		files[name] = warContent(rnd, name)
	}
	return files
}

// skirmish changes a few files of a directory, one of them perhaps into another
// kind of thing.
func skirmish(t *testing.T, rnd *rand.Rand, dir string) {
	for range 1 + rnd.IntN(2) {
		name, kind := warNames[rnd.IntN(len(warNames))], rnd.IntN(6)
		if kind == 0 { // a file where a directory is, or the other way round
			name = []string{"d", "a/in", "d/e"}[rnd.IntN(3)]
		}
		content := warContent(rnd, name)
		if kind == 1 {
			content = "-"
		}
		for above := filepath.Dir(name); above != "."; above = filepath.Dir(above) {
			if info, err := os.Lstat(filepath.Join(dir, above)); err == nil && !info.IsDir() {
				write(t, dir, map[string]string{above: "-"})
			}
		}
		if content != "-" {
			write(t, dir, map[string]string{name: "-"})
		}
		write(t, dir, map[string]string{name: content})
	}
}

// battle applies a portion, or all, and asks git what comes of it.
func (w *world) battle(rnd *rand.Rand, step int) {
	w.t.Helper()
	rows := w.pending()
	entries := map[orchestrator.Path]orchestrator.Entry{}
	var paths []orchestrator.Path
	for _, row := range rows {
		if len(rows) == 1 || rnd.IntN(3) > 0 {
			paths, entries[row.Path] = append(paths, row.Path), row.New
		}
	}
	base := w.worktree().Baseline
	theirs, err := w.git.Overlay(w.t.Context(), w.at.CommonDir, base, entries)
	if len(paths) == 0 || err != nil {
		return // a file and a directory of one name: no tree has both
	}
	before := tree(w.t, w.repo)
	want, clean := w.gitMerges(base, theirs)
	r, err := w.apply(paths...)
	w.checkClean()
	switch {
	case err != nil && orchestrator.CodeOf(err) != orchestrator.CodeConflict:
		w.t.Fatal(err)
	case err != nil:
		same(w.t, "after a refusal", tree(w.t, w.repo), before)
		if clean {
			w.t.Errorf("step %d: git merges %q, boo refuses: %v", step, paths, r.Conflict)
		}
		return
	case !clean:
		w.t.Errorf("step %d: boo merges %q, git does not", step, paths)
	default:
		if got := w.wholeTree(); got != want {
			w.t.Errorf("step %d: applied %q\n%s", step, paths, w.run(w.repo, "diff-tree", "-r", "-p", want, got))
		}
	}
	if rnd.IntN(3) == 0 {
		w.mustUndo()
		same(w.t, "after an undo", tree(w.t, w.repo), before)
	}
}

// gitMerges has git merge a tree into the checkout's files.
func (w *world) gitMerges(base, theirs orchestrator.ObjectID) (tree string, clean bool) {
	w.t.Helper()
	commit := func(tree string, parents ...string) string {
		return strings.TrimSpace(w.run(w.repo, append([]string{"commit-tree", "-m", "x", tree}, parents...)...))
	}
	b := commit(string(base) + "^{tree}")
	mine, other := commit(w.wholeTree(), "-p", b), commit(string(theirs), "-p", b)
	cmd := exec.CommandContext(w.t.Context(), "git", "-c", "merge.renames=false", "merge-tree", "--write-tree", mine, other)
	cmd.Dir = w.repo
	out, err := cmd.Output()
	tree, _, _ = strings.Cut(string(out), "\n")
	return tree, err == nil
}

// wholeTree is the checkout as git records it, untracked files included.
func (w *world) wholeTree() string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", "git read-tree --empty && git add -A . && git write-tree")
	cmd.Dir, cmd.Env = w.repo, append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(w.dir, "war-index"), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
