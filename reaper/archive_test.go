package reaper_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/backends/proc"
	"boo/orchestrator"
	"boo/orchestrator/store"
	"boo/reaper"
	"boo/worktree"
)

// A test starts this binary again with an order in the environment; the process
// carries it out and kills itself before the given step.
const orderVar = "BOO_REAPER_TEST_ORDER"

type order struct {
	Dir  string
	Chat orchestrator.ChatID
	Do   string // archive, restore, sweep; open or map the file Dir, until stdin ends
	Die  int    // before this step, counted from 1
	At   string // or before this one, by name
}

func TestMain(m *testing.M) {
	if raw, ok := os.LookupEnv(orderVar); ok {
		if err := obey(raw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey(raw string) error {
	var o order
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	if o.Do == "open" || o.Do == "map" {
		return holdFile(o.Dir, o.Do == "map")
	}
	w, err := open(o.Dir)
	if err != nil {
		return err
	}
	steps := 0
	die := func(step string) {
		if steps++; steps == o.Die || step == o.At {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if o.Do == "sweep" {
		return w.sweepOnce(die)
	}
	w.archiver.OnStep(die)
	return w.do(context.Background(), o.Do, o.Chat)
}

// world is a repository with one chat, of which an agent has made all kinds of
// work.
type world struct {
	t        *testing.T
	root     string
	db       *store.Store
	trees    *worktree.Engine
	archiver *reaper.Archiver
	wt       orchestrator.Worktree
}

func open(root string) (*world, error) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}
	trees, err := worktree.New(worktree.Options{Dir: filepath.Join(root, "git"), Environ: env})
	if err != nil {
		return nil, err
	}
	db, err := store.Open(context.Background(), filepath.Join(root, "boo.db"), store.Options{})
	w := &world{root: root, db: db, trees: trees}
	w.archiver = &reaper.Archiver{Root: filepath.Join(root, "worktrees"), Trees: trees, Rows: db, Processes: proc.Table{}}
	return w, err
}

func (w *world) do(ctx context.Context, what string, chat orchestrator.ChatID) error {
	wt, err := w.db.Worktree(ctx, chat)
	if err != nil {
		return err
	}
	switch what {
	case "archive":
		_, err = w.archiver.Archive(ctx, wt)
	case "restore":
		err = w.archiver.Restore(ctx, wt)
	default:
		err = w.archiver.Settle(ctx, wt)
	}
	return err
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w, err := open(root)
	must(t, err)
	w.t = t
	t.Cleanup(func() { _ = w.db.Close() })
	repo := root + "/repo"
	w.write(root+"/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[core]\n\tfsync = none\n[gc]\n\tauto = 0\n")
	w.write(repo+"/.gitignore", "*.log\nbuild/\n.env\n")
	w.write(repo+"/edit.txt", "old\n")
	w.write(repo+"/gone.txt", "gone\n")
	w.git(repo, "init", "-q")
	w.git(repo, "add", "-A")
	w.git(repo, "commit", "-q", "-m", "base")
	w.make(repo)
	return w
}

func (w *world) make(repo string) {
	ctx := w.t.Context()
	c, err := w.trees.Checkout(ctx, repo)
	must(w.t, err)
	r, err := w.db.PutRepo(ctx, orchestrator.Repo{ID: orchestrator.NewRepoID(), CommonDir: c.CommonDir, Root: c.Dir})
	must(w.t, err)
	id := orchestrator.NewChatID()
	w.wt = orchestrator.Worktree{
		Chat: id, Repo: r.ID, CommonDir: c.CommonDir, Base: c.Head, Baseline: c.Head, State: orchestrator.WorktreeActive,
		Dir: orchestrator.WorktreeDir(filepath.Join(w.root, "worktrees", string(r.ID), string(id))),
	}
	turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: id, Agent: "goose", Prompt: "x", State: orchestrator.TurnQueued, Sent: time.Unix(1, 0)}
	_, err = w.db.Enqueue(ctx, turn, &orchestrator.NewChat{
		Chat: orchestrator.Chat{ID: id, Repo: r.ID, Title: "x", State: orchestrator.ChatClosed}, Worktree: w.wt,
	})
	must(w.t, err)
	must(w.t, w.trees.Create(ctx, w.wt))
	dir := string(w.wt.Dir)
	w.write(dir+"/committed.txt", "committed\n")
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", "dropped later")
	w.git(dir, "commit", "-q", "--amend", "-m", "of the agent's")
	w.write(dir+"/edit.txt", "staged\n")
	w.git(dir, "add", "edit.txt")
	w.write(dir+"/edit.txt", "staged, and more\n")
	must(w.t, os.Remove(dir+"/gone.txt"))
	w.write(dir+"/sub/a b.txt", "new\r\n")
	w.write(dir+"/run.sh", "#!/bin/sh\n")
	must(w.t, os.Chmod(dir+"/run.sh", 0o755))
	must(w.t, os.Chmod(dir+"/committed.txt", 0o640))
	w.write(dir+"/key.pem", "for nobody else\n")
	must(w.t, os.Chmod(dir+"/key.pem", 0o400))
	must(w.t, os.Symlink("edit.txt", dir+"/link"))
	w.write(dir+"/.env", "SECRET=1\r\n")
	must(w.t, os.Chmod(dir+"/.env", 0o600))
	w.write(dir+"/build/out.o", "\x00built")
	_, err = w.trees.Snapshot(ctx, w.wt, orchestrator.Signature{Name: "goose", Email: "goose@boo"}, "turn\n")
	must(w.t, err)
}

func (w *world) write(path, content string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte(content), 0o644))
}

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.root, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// all is everything in a worktree: files with mode and content, what git says of
// them, and what is staged.
func (w *world) all() map[string]string {
	w.t.Helper()
	dir := string(w.wt.Dir)
	found := map[string]string{}
	must(w.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, _ := os.Readlink(path)
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		}
		found[path] = fmt.Sprintf("%v %q", info.Mode(), content)
		return nil
	}))
	found["status"] = w.git(dir, "status", "--porcelain", "-uall", "--ignored")
	found["staged"] = w.git(dir, "diff", "--cached")
	found["HEAD"] = w.git(dir, "rev-parse", "HEAD")
	found["on"] = w.git(dir, "rev-parse", "--symbolic-full-name", "HEAD")
	found["was at"] = w.git(dir, "log", "--walk-reflogs", "--format=%H %gs")
	found["refs"] = w.git(dir, "for-each-ref", "refs/worktree")
	return found
}

func (w *world) state() orchestrator.WorktreeState {
	w.t.Helper()
	wt, err := w.db.Worktree(w.t.Context(), w.wt.Chat)
	must(w.t, err)
	return wt.State
}

func (w *world) same(before map[string]string) {
	w.t.Helper()
	after := w.all()
	for path := range maps.Keys(before) {
		if before[path] != after[path] {
			w.t.Errorf("%s\nis  %s\nwas %s", path, after[path], before[path])
		}
		delete(after, path)
	}
	if len(after) > 0 {
		w.t.Errorf("there is more than before: %v", after)
	}
}

func TestAnArchivedWorktreeComesBackByteForByte(t *testing.T) {
	w := newWorld(t)
	dir := string(w.wt.Dir)
	w.git(dir, "checkout", "-q", "-b", "topic")
	w.git(dir, "update-ref", "refs/worktree/mine", strings.TrimSpace(w.git(dir, "commit-tree", "-m", "only here", "HEAD^{tree}")))
	before := w.all()
	for range 2 { // what the first one brought back the second one keeps
		w.archiveForLong()
		must(t, w.do(t.Context(), "restore", w.wt.Chat))
		w.same(before)
	}
	if w.state() != orchestrator.WorktreeActive {
		t.Errorf("the row is %s", w.state())
	}
}

// archiveForLong archives the worktree, and has git clean up after it.
func (w *world) archiveForLong() {
	t := w.t
	t.Helper()
	must(t, w.do(t.Context(), "archive", w.wt.Chat))
	if _, err := os.Lstat(string(w.wt.Dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the directory: %v", err)
	}
	if list := w.git(w.root+"/repo", "worktree", "list"); strings.Contains(list, string(w.wt.Chat)) {
		t.Errorf("git lists it:\n%s", list)
	}
	w.archiver.Clear(t.Context())
	if left, _ := os.ReadDir(w.root + "/worktrees/.trash"); len(left) > 0 {
		t.Errorf("left in the trash: %v", left)
	}
	w.git(w.root+"/repo", "worktree", "prune")
	w.git(w.root+"/repo", "reflog", "expire", "--expire=now", "--all")
	w.git(w.root+"/repo", "gc", "-q", "--prune=now")
}

// Where its branch has moved on meanwhile, or is checked out elsewhere, HEAD stays
// at its commit.
func TestARestoredHeadDoesNotTakeABranchBack(t *testing.T) {
	for name, meanwhile := range map[string][]string{
		"moved":       {"branch", "-f", "topic", "HEAD"},
		"gone":        {"branch", "-D", "topic"},
		"checked out": {"checkout", "-q", "topic"},
	} {
		w := newWorld(t)
		w.git(string(w.wt.Dir), "checkout", "-q", "-b", "topic")
		before := w.all()
		must(t, w.do(t.Context(), "archive", w.wt.Chat))
		w.git(w.root+"/repo", meanwhile...)
		must(t, w.do(t.Context(), "restore", w.wt.Chat))
		if after := w.all(); after["HEAD"] != before["HEAD"] || after["on"] != "HEAD\n" {
			t.Errorf("%s: HEAD is %q at %q, and was at %q", name, after["on"], after["HEAD"], before["HEAD"])
		}
	}
}

func TestKilledAtAnyStepNothingIsLost(t *testing.T) {
	for _, what := range []string{"archive", "restore"} {
		for die := 1; ; die++ {
			w := newWorld(t)
			before := w.all()
			if what == "restore" {
				must(t, w.do(t.Context(), "archive", w.wt.Chat))
			}
			if !w.killed(order{Dir: w.root, Chat: w.wt.Chat, Do: what, Die: die}) {
				break
			}
			for range 2 { // the second time there is nothing to do
				must(t, w.do(t.Context(), "settle", w.wt.Chat))
			}
			if state := w.state(); state == orchestrator.WorktreeArchived {
				w.archiver.Clear(t.Context())
				must(t, w.do(t.Context(), "restore", w.wt.Chat))
			} else if state != orchestrator.WorktreeActive {
				t.Fatalf("%s, step %d: the row is %s", what, die, state)
			}
			w.same(before)
			if left, _ := os.ReadDir(w.root + "/worktrees/.trash"); len(left) > 0 {
				t.Errorf("%s, step %d: left in the trash: %v", what, die, left)
			}
		}
	}
}

// killed carries an order out in a process of its own, and reports whether that
// was killed.
func (w *world) killed(o order) bool {
	w.t.Helper()
	raw, err := json.Marshal(o)
	must(w.t, err)
	cmd := exec.CommandContext(w.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVar+"="+string(raw))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true
	}
	if err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return false
}

// A watch that rests spares the look at all files, and nothing may slip by it.
func TestWhatSlipsInTakesTheArchiveBack(t *testing.T) {
	slips := map[string]struct {
		in  func(w *world, dir string)
		out string // to be removed; edit.txt is put back
	}{
		"an edit":     {func(w *world, dir string) { w.write(dir+"/edit.txt", "slipped in\n") }, "edit.txt"},
		"a file":      {func(w *world, dir string) { w.write(dir+"/late.txt", "slipped in\n") }, "late.txt"},
		"a repo":      {func(w *world, dir string) { w.git(dir, "init", "-q", "nested"); w.write(dir+"/nested/x", "x") }, "nested"},
		"a repo more": {func(w *world, dir string) { w.git(dir, "init", "-q", "build/nested") }, "build/nested"},
	}
	for _, step := range []string{"closing", "rename", "look", "keep"} {
		for _, watched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/watched=%v", step, watched), func(t *testing.T) {
				w := newWorld(t)
				before := w.all()
				for name, slip := range slips {
					if watched {
						w.rested()
					}
					w.archiver.OnStep(func(s string) {
						if s == step {
							slip.in(w, w.now())
						}
					})
					if err := w.do(t.Context(), "archive", w.wt.Chat); err == nil {
						t.Fatalf("%s: it was archived all the same", name)
					}
					if w.state() != orchestrator.WorktreeActive || !there(string(w.wt.Dir)+"/"+slip.out) {
						t.Errorf("%s: the row is %s", name, w.state())
					}
					must(t, os.RemoveAll(string(w.wt.Dir)+"/"+slip.out))
					w.write(string(w.wt.Dir)+"/edit.txt", "staged, and more\n")
					w.same(before)
				}
			})
		}
	}
}

// now is where the worktree stands at the moment.
func (w *world) now() string {
	if dir := string(w.wt.Dir); there(dir) {
		return dir
	}
	return filepath.Join(w.root, "worktrees", ".trash", string(w.wt.Chat), "tree")
}

// rested has the worktree watched as it is after a turn.
func (w *world) rested() {
	w.t.Helper()
	past := time.Now().Add(-time.Hour) // what was written just now has to be looked at again
	for _, file := range []string{string(w.wt.Dir) + "/committed.txt", string(w.wt.Dir) + "/edit.txt", w.root + "/repo/.git/worktrees/" + string(w.wt.Chat) + "/index"} {
		must(w.t, os.Chtimes(file, past, past))
	}
	by := orchestrator.Signature{Name: "goose", Email: "goose@boo"}
	watch := w.trees.Watch(w.t.Context(), w.wt)
	w.t.Cleanup(func() { _ = watch.Close() })
	watch.Rest(w.t.Context()) // is watched by now
	seen, err := watch.Snapshot(w.t.Context(), by, "turn\n")
	must(w.t, err)
	_, err = watch.Confirm(w.t.Context(), by, "turn\n")
	must(w.t, err)
	if watch.Rest(w.t.Context()); seen.Verified {
		w.t.Fatal("it is not watched")
	}
}

func TestAWorktreeThatSomebodyIsInStays(t *testing.T) {
	w := newWorld(t)
	before := w.all()
	cat := exec.CommandContext(t.Context(), "cat")
	cat.Dir = string(w.wt.Dir) + "/sub"
	in, err := cat.StdinPipe()
	must(t, err)
	must(t, cat.Start())
	t.Cleanup(func() { _ = in.Close(); _ = cat.Wait() })
	if err := w.do(t.Context(), "archive", w.wt.Chat); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk {
		t.Errorf("archive: %v", err)
	}
	w.same(before)
}

// Whoever puts another directory in a worktree's place can give it the .git file
// that boo looks at.
func TestAnotherDirectoryInItsPlaceIsNotRemoved(t *testing.T) {
	for _, step := range []string{"", "closing", "rename"} {
		t.Run("before "+step, func(t *testing.T) {
			w := newWorld(t)
			identity, err := w.trees.Identity(w.wt)
			must(t, err)
			must(t, w.db.SetIdentity(t.Context(), w.wt.Chat, identity))
			dir := string(w.wt.Dir)
			replace := func() {
				must(t, os.Rename(dir, w.root+"/moved"))
				if out, err := exec.CommandContext(t.Context(), "cp", "-a", w.root+"/moved", dir).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			w.archiver.OnStep(func(s string) {
				if s == step {
					step = "" // once
					replace()
				}
			})
			if step == "" {
				replace()
			}
			if err := w.do(t.Context(), "archive", w.wt.Chat); orchestrator.CodeOf(err) != orchestrator.CodeUnverified {
				t.Errorf("archive: %v", err)
			}
			if !there(dir+"/edit.txt") || !there(w.root+"/moved/edit.txt") || w.state() != orchestrator.WorktreeActive {
				t.Errorf("it is %s, and there are %v and %v", w.state(), there(dir), there(w.root+"/moved"))
			}
			// What is used is the chat's again.
			must(t, w.db.SetIdentity(t.Context(), w.wt.Chat, ""))
			must(t, w.do(t.Context(), "archive", w.wt.Chat))
			must(t, w.do(t.Context(), "restore", w.wt.Chat))
			if wt, err := w.db.Worktree(t.Context(), w.wt.Chat); err != nil || wt.Identity == "" || w.trees.SameTree(wt) != nil {
				t.Errorf("after a restore: %+v, %v", wt, err)
			}
		})
	}
}

func TestWhatIsNotBoosIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	elsewhere := w.root + "/elsewhere"
	must(t, os.Rename(filepath.Dir(string(w.wt.Dir)), elsewhere))
	must(t, os.Symlink(elsewhere, filepath.Dir(string(w.wt.Dir))))
	if err := w.do(t.Context(), "archive", w.wt.Chat); orchestrator.CodeOf(err) != orchestrator.CodeUnverified {
		t.Errorf("archive: %v", err)
	}
	if _, err := os.Lstat(elsewhere + "/" + string(w.wt.Chat) + "/edit.txt"); err != nil {
		t.Error(err)
	}
}
