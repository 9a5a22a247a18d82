package pending_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"boo/orchestrator"
)

// historyAgents take the commits of a history in turn.
var historyAgents = []orchestrator.AgentName{"goose", "qwen", "opencode"}

// A history of commits, each the turn of another agent: after every turn the
// pending set is git's difference from the first commit, credited to those whose
// commits made it; in the end blame is git's on the chain of snapshots, and one
// apply leads to the last commit's tree, its undo to the first's. A real history:
// BOO_TEST_HISTORY=DIR.
func TestAHistoryAsTurnsOfSeveralAgents(t *testing.T) {
	t.Parallel()
	past := os.Getenv("BOO_TEST_HISTORY")
	if past == "" {
		past = inventHistory(t, 12)
	}
	w, commits := openHistory(t, past)
	who, touched := map[string][]orchestrator.AgentName{}, map[string]int{}
	for i, commit := range commits[1:] {
		agent := historyAgents[i%len(historyAgents)]
		w.turn(agent, func(dir string) { w.replay(dir, commits[i], commit) })
		for _, name := range w.names(commits[i], commit) {
			touched[name]++
			if !slices.Contains(who[name], agent) {
				who[name] = append(who[name], agent)
			}
		}
		w.checkHistory(commits[0], commit, who)
		if t.Failed() {
			t.Fatalf("commit %d of %d", i+1, len(commits)-1)
		}
	}
	w.checkHistoryBlame(touched)

	w.mustApply()
	w.checkFiles("applied", commits[len(commits)-1])
	w.mustUndo()
	w.checkFiles("undone", commits[0])
	w.checkSet()
}

func inventHistory(t *testing.T, commits int) string {
	rnd := rand.New(rand.NewPCG(5, 4))
	w := &world{t: t, dir: t.TempDir()}
	w.run(w.dir, "init", "-q", "-b", "main")
	write(t, w.dir, warFiles(rnd))
	for i := range commits + 1 {
		w.run(w.dir, "add", "-A")
		w.run(w.dir, "commit", "-q", "--allow-empty", "-m", strconv.Itoa(i))
		skirmish(t, rnd, w.dir)
	}
	return w.dir
}

// openHistory makes a chat on the first commit of a history.
func openHistory(t *testing.T, past string) (w *world, commits []string) {
	w, err := openWorld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.t, w.options.Allow = t, orchestrator.Dangers()
	t.Cleanup(func() { _ = w.store.Close() })
	w.run(w.dir, "clone", "-q", "--no-checkout", past, w.repo)
	commits = strings.Fields(w.run(w.repo, "rev-list", "--reverse", "--first-parent", "HEAD"))
	w.run(w.repo, "reset", "-q", "--hard", commits[0])
	w.startChat()
	return w, commits
}

// replay makes a commit's difference in a directory's files.
func (w *world) replay(dir, from, to string) {
	w.t.Helper()
	script := exec.CommandContext(w.t.Context(), "sh", "-c", `git diff --binary --no-renames "$1" "$2" | git apply --allow-empty`, "sh", from, to)
	script.Dir, script.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := script.CombinedOutput(); err != nil {
		w.t.Fatalf("replay %s: %v\n%s", to, err, out)
	}
}

// names are the paths that two commits differ at.
func (w *world) names(from, to string) []string {
	w.t.Helper()
	list := strings.Split(w.run(w.repo, "diff", "--no-renames", "--name-only", "-z", from, to), "\x00")
	return list[:len(list)-1]
}

// checkHistory compares the pending set with git's difference, and forgets who
// wrote what is as it was at first.
func (w *world) checkHistory(first, commit string, who map[string][]orchestrator.AgentName) {
	w.t.Helper()
	var set strings.Builder
	pending := map[string]bool{}
	for _, row := range w.pending() {
		name := string(row.Path)
		pending[name] = true
		zero := orchestrator.ObjectID(strings.Repeat("0", len(first)))
		letter := map[orchestrator.ChangeOp]string{orchestrator.OpCreate: "A", orchestrator.OpDelete: "D"}[row.Op()]
		if row.Old.Exists() && row.New.Exists() {
			letter = "M"
			if row.Old.Mode&0o170000 != row.New.Mode&0o170000 {
				letter = "T"
			}
		}
		fmt.Fprintf(&set, ":%06o %06o %s %s %s\x00%s\x00", row.Old.Mode, row.New.Mode,
			cmp.Or(row.Old.ID, zero), cmp.Or(row.New.ID, zero), letter, name)
		var agents []orchestrator.AgentName
		for _, c := range row.Contributors {
			if !slices.Contains(agents, c.Agent) {
				agents = append(agents, c.Agent)
			}
		}
		if !slices.Equal(agents, who[name]) {
			w.t.Errorf("%q is credited to %v, want %v", name, agents, who[name])
		}
	}
	maps.DeleteFunc(who, func(name string, _ []orchestrator.AgentName) bool { return !pending[name] })
	want := w.run(w.repo, "diff", "--raw", "--no-renames", "--no-abbrev", "-z", first, commit)
	if set.String() != want {
		w.t.Errorf("pending %q\ngit says %q", set.String(), want)
	}
}

// checkHistoryBlame compares blame with git's, of the files that were touched
// most often.
func (w *world) checkHistoryBlame(touched map[string]int) {
	w.t.Helper()
	names := slices.SortedFunc(maps.Keys(touched), func(a, b string) int {
		return cmp.Or(cmp.Compare(touched[b], touched[a]), strings.Compare(a, b))
	})
	compared := 0
	for _, name := range names {
		if compared == 10 || !strings.HasPrefix(w.run(w.repo, "--literal-pathspecs", "ls-tree", string(w.last), "--", name), "100") {
			continue
		}
		compared++
		runs, err := w.git.Blame(w.t.Context(), w.worktree(), w.last, orchestrator.Path(name))
		if err != nil {
			w.t.Fatal(err)
		}
		var got, want strings.Builder
		for _, run := range runs {
			for _, line := range run.Lines {
				fmt.Fprintf(&got, "%s %s\n", run.Commit, line)
			}
		}
		var commit string
		out := w.run(w.repo, "--literal-pathspecs", "blame", "--line-porcelain", "--first-parent", string(w.worktree().Base)+".."+string(w.last), "--", name)
		for line := range strings.SplitSeq(out, "\n") {
			if text, ok := strings.CutPrefix(line, "\t"); ok {
				fmt.Fprintf(&want, "%s %s\n", commit, text)
			} else if word, _, _ := strings.Cut(line, " "); len(word) == len(w.last) {
				commit = word
			}
		}
		if got.String() != want.String() {
			w.t.Errorf("blame of %q is\n%.2000s\ngit says\n%.2000s", name, got.String(), want.String())
		}
	}
	if compared == 0 {
		w.t.Error("no file to blame")
	}
}

// checkFiles compares the checkout with a commit.
func (w *world) checkFiles(what, commit string) {
	w.t.Helper()
	if got, want := w.wholeTree(), strings.TrimSpace(w.run(w.repo, "rev-parse", commit+"^{tree}")); got != want {
		w.t.Errorf("%s is tree %s, want %s\n%s", what, got, want, w.run(w.repo, "diff-tree", "-r", want, got))
	}
}
