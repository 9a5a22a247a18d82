package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

// stageWorld is a checkout with a file f, and the step that stages it as g too.
func stageWorld(t *testing.T, tune ...func(*worktree.Options)) (*fixture, orchestrator.Checkout, func() error) {
	f := newFixture(t, tune...)
	f.write(f.repo+"/f", "1\n")
	f.commit()
	c := f.checkout(f.repo)
	id := orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD:f"))
	steps := []orchestrator.IndexStep{{Path: "g", After: orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: id}}}
	return f, c, func() error { return f.engine.Stage(t.Context(), c, steps, id) }
}

// besideIndex lists what boo, or a git, has left beside the index.
func besideIndex(f *fixture) []string {
	copies, _ := filepath.Glob(f.repo + "/.git/boo/index/*")
	locks, _ := filepath.Glob(f.repo + "/.git/*.lock")
	return append(copies, locks...)
}

// A file that was edited in the second in which it was staged, to the same size,
// looks unchanged but for the times of the index and the file.
func TestStagingDoesNotHideAnEditOfTheSecondBefore(t *testing.T) {
	t.Parallel()
	f, _, stage := stageWorld(t)
	f.git(f.repo, "config", "core.trustctime", "false")
	then := time.Now().Add(-time.Minute)
	at := func(path string) {
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	f.write(f.repo+"/mine", "staged\n")
	at(f.repo + "/mine")
	f.git(f.repo, "add", "mine")
	f.write(f.repo+"/mine", "edited\n")
	at(f.repo + "/mine")
	at(f.repo + "/.git/index")
	if err := stage(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(f.git(f.repo, "diff", "--name-only")); !slices.Contains(got, "mine") {
		t.Errorf("git sees edits in %v", got)
	}
}

func TestStagingLosesNothingThatIsStagedInTheSameMoment(t *testing.T) {
	t.Parallel()
	wrapper := gitWrapper{script: `case "$*" in *update-index*)
		test -e "$COUNT" || { : >"$COUNT"; env -u GIT_INDEX_FILE "$GIT" --git-dir="$REPO/.git" --work-tree="$REPO" add "$REPO/other"; } ;; esac` + "\n"}
	f, _, stage := stageWorld(t)
	wrapper.install(t, "REPO='"+f.repo+"'")
	engine, err := worktree.New(worktree.Options{Dir: t.TempDir(), Git: filepath.Join(wrapper.dir, "git")})
	if err != nil {
		t.Fatal(err)
	}
	f.engine = engine
	f.write(f.repo+"/other", "o\n")
	if err := stage(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(f.git(f.repo, "ls-files")); strings.Join(got, " ") != "f g other" {
		t.Errorf("the index has %v", got)
	}
	if err := stage(); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("an entry that is there already was staged as a new one: %v", err)
	}
	if left := besideIndex(f); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAGitThatIsKilledLeavesTheIndexUnlocked(t *testing.T) {
	t.Parallel()
	wrapper := gitWrapper{script: `case "$*" in *update-index*) : >"$GIT_INDEX_FILE.lock"; kill -9 $$ ;; esac` + "\n"}
	f, _, stage := stageWorld(t, wrapper.install(t))
	before := f.git(f.repo, "ls-files", "-s")
	if err := stage(); err == nil {
		t.Error("nobody was told")
	}
	if left := besideIndex(f); len(left) > 0 || f.git(f.repo, "ls-files", "-s") != before {
		t.Errorf("left: %v", left)
	}
}

func TestALockOnTheIndexIsRemovedIfItIsOfADeadBoo(t *testing.T) {
	t.Parallel()
	f, c, stage := stageWorld(t)
	own, lock := f.repo+"/.git/boo/index/1/index", f.repo+"/.git/index.lock"
	f.write(own, "half")
	if err := os.Link(own, lock); err != nil {
		t.Fatal(err)
	}
	if err := f.engine.Landed(t.Context(), c, "", ""); err != nil {
		t.Fatal(err)
	}
	if left := besideIndex(f); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	f.write(own, "half")
	f.write(lock, "half")
	if err := stage(); orchestrator.CodeOf(err) != orchestrator.CodeBusy || !strings.Contains(err.Error(), lock) {
		t.Errorf("with a lock of git's: %v", err)
	}
	if left := besideIndex(f); len(left) != 1 || left[0] != lock {
		t.Errorf("left: %v, want the lock of git's", left)
	}
}
