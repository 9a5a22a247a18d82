package pending_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/orchestrator/store"
	"boo/pending"
	"boo/worktree"
)

// world is a repository of a person's, a chat with its worktree, and everything
// real that the engine stands on.
type world struct {
	t     testing.TB
	dir   string // holds everything
	repo  string // the person's checkout
	agent string // the chat's worktree
	chat  orchestrator.ChatID
	last  orchestrator.ObjectID
	turns int

	options orchestrator.ApplyOptions // of applies

	git    *worktree.Engine
	store  *store.Store
	locks  orchestrator.Locks
	engine *pending.Engine
	at     orchestrator.Checkout
}

// newWorld makes a repository with the given files committed and a chat on it.
func newWorld(t testing.TB, files map[string]string, initArgs ...string) *world {
	t.Helper()
	w, err := openWorld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.t = t
	t.Cleanup(func() { _ = w.store.Close() })
	if err := os.Mkdir(w.repo, 0o755); err != nil {
		t.Fatal(err)
	}
	w.run(w.repo, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	write(t, w.repo, files)
	w.run(w.repo, "add", "-A")
	w.run(w.repo, "commit", "-q", "--allow-empty", "-m", "base")
	w.startChat()
	return w
}

// openWorld opens the world below dir, which another process may have made.
func openWorld(dir string) (*world, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, repo: filepath.Join(dir, "repo"), agent: filepath.Join(dir, "chat")}
	trees, err := worktree.New(worktree.Options{Dir: filepath.Join(dir, "boo")})
	if err != nil {
		return nil, err
	}
	w.git = trees
	if w.store, err = store.Open(context.Background(), filepath.Join(dir, "state", "boo.db"), store.Options{}); err != nil {
		return nil, err
	}
	if w.locks, err = daemon.NewLocks(filepath.Join(dir, "locks")); err != nil {
		return nil, err
	}
	w.engine = pending.New(w.git, w.store, w.locks)
	return w, nil
}

func (w *world) startChat() {
	w.t.Helper()
	var err error
	if w.at, err = w.git.Checkout(w.t.Context(), w.repo); err != nil {
		w.t.Fatal(err)
	}
	base, err := w.git.Base(w.t.Context(), w.at, orchestrator.BaseRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	repo, err := w.store.PutRepo(w.t.Context(), orchestrator.Repo{
		ID: orchestrator.NewRepoID(), CommonDir: w.at.CommonDir, Root: w.at.Dir, CreatedAt: time.Now(),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.chat = orchestrator.NewChatID()
	wt := orchestrator.Worktree{
		Chat: w.chat, Repo: repo.ID, CommonDir: w.at.CommonDir, Dir: orchestrator.WorktreeDir(w.agent),
		Base: base.Commit, Baseline: base.Commit, State: orchestrator.WorktreeCreating, CreatedAt: time.Now(),
	}
	if err := w.git.Create(w.t.Context(), wt); err != nil {
		w.t.Fatal(err)
	}
	w.last = base.Commit
	first := w.enqueue(&orchestrator.NewChat{
		Chat:     orchestrator.Chat{ID: w.chat, Repo: repo.ID, Title: "test", State: orchestrator.ChatOpen, CreatedAt: time.Now(), LastUsedAt: time.Now()},
		Worktree: wt,
	}, "goose")
	w.end(orchestrator.TurnEnd{Turn: first.ID, State: orchestrator.TurnCompleted})
}

func (w *world) end(end orchestrator.TurnEnd) {
	w.t.Helper()
	if _, err := w.store.EndTurn(w.t.Context(), end); err != nil {
		w.t.Fatal(err)
	}
}

// enqueue stores a turn and takes it to where its agent works.
func (w *world) enqueue(chat *orchestrator.NewChat, agent orchestrator.AgentName) orchestrator.Turn {
	w.t.Helper()
	turn, err := w.store.Enqueue(w.t.Context(), orchestrator.Turn{
		ID: orchestrator.NewTurnID(), Chat: w.chat, Agent: agent, Prompt: "do", State: orchestrator.TurnQueued, Sent: time.Now(),
	}, chat)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, to := range []orchestrator.TurnState{orchestrator.TurnAccepted, orchestrator.TurnRunning} {
		if _, err := w.store.MoveTurn(w.t.Context(), turn.ID, to, ""); err != nil {
			w.t.Fatal(err)
		}
	}
	return turn
}

// turn has an agent edit the chat's worktree, and records it as a turn is.
func (w *world) turn(agent orchestrator.AgentName, edit func(dir string)) orchestrator.TurnID {
	w.t.Helper()
	turn := w.enqueue(nil, agent)
	edit(w.agent)
	wt := w.worktree()
	snap, err := w.git.Snapshot(w.t.Context(), wt, orchestrator.Signature{Name: string(agent), Email: "a@b", When: time.Now()}, "turn")
	if err != nil {
		w.t.Fatal(err)
	}
	if len(snap.Skipped) > 0 {
		w.t.Fatalf("snapshot left out %v", snap.Skipped)
	}
	share, err := w.git.Diff(w.t.Context(), w.at.CommonDir, w.last, snap.Commit)
	if err != nil {
		w.t.Fatal(err)
	}
	delta, err := w.engine.Delta(w.t.Context(), wt, snap.Commit, share, orchestrator.Contribution{Agent: agent, Turn: turn.ID})
	if err != nil {
		w.t.Fatal(err)
	}
	w.last = snap.Commit
	w.end(orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnCompleted, After: snap.Commit, Rung: orchestrator.RungNew, Delta: delta})
	return turn.ID
}

func (w *world) worktree() orchestrator.Worktree {
	w.t.Helper()
	wt, err := w.store.Worktree(w.t.Context(), w.chat)
	if err != nil {
		w.t.Fatal(err)
	}
	return wt
}

// pending lists the rows that are pending, of the given paths or all.
func (w *world) pending(paths ...orchestrator.Path) []orchestrator.Change {
	w.t.Helper()
	rows, err := w.store.Changes(w.t.Context(), orchestrator.ChangeQuery{Chat: w.chat, States: []orchestrator.ChangeState{orchestrator.ChangePending}})
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.DeleteFunc(rows, func(r orchestrator.Change) bool { return len(paths) > 0 && !slices.Contains(paths, r.Path) })
}

// checkSet makes sure that the pending set is the difference between the
// baseline and the newest snapshot.
func (w *world) checkSet() {
	w.t.Helper()
	diff, err := w.git.Diff(w.t.Context(), w.at.CommonDir, w.worktree().Baseline, w.last)
	if err != nil {
		w.t.Fatal(err)
	}
	var rows []orchestrator.FileChange
	for _, r := range w.pending() {
		rows = append(rows, r.FileChange)
	}
	if !slices.Equal(rows, diff) {
		w.t.Errorf("pending %v\nis not the difference %v", rows, diff)
	}
	ref := strings.TrimSpace(w.run(w.repo, "rev-parse", "refs/boo/chats/"+string(w.chat)+"/baseline"))
	if ref != string(w.worktree().Baseline) {
		w.t.Errorf("the baseline's ref is at %s, the chat's baseline is %s", ref, w.worktree().Baseline)
	}
}

func (w *world) apply(paths ...orchestrator.Path) (orchestrator.ApplyResult, error) {
	w.t.Helper()
	return w.engine.Apply(w.t.Context(), orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending(paths...), Options: w.options})
}

func (w *world) mustApply(paths ...orchestrator.Path) orchestrator.ApplyResult {
	w.t.Helper()
	r, err := w.apply(paths...)
	if err != nil {
		w.t.Fatalf("apply: %v %v", err, r.Conflict)
	}
	if r.State != orchestrator.ApplyApplied || r.ID == "" || len(r.Conflict) > 0 {
		w.t.Fatalf("apply came to %+v", r)
	}
	w.checkClean()
	return r
}

func (w *world) undo() (orchestrator.ApplyResult, error) {
	return w.engine.Undo(w.t.Context(), orchestrator.UndoRequest{Repo: w.worktree().Repo, Checkout: w.at})
}

func (w *world) mustUndo() orchestrator.ApplyResult {
	w.t.Helper()
	r, err := w.undo()
	if err != nil {
		w.t.Fatalf("undo: %v %v", err, r.Conflict)
	}
	if r.State != orchestrator.ApplyUndone {
		w.t.Fatalf("undo came to %+v", r)
	}
	w.checkClean()
	return r
}

// checkClean makes sure that no stage is left but what is set apart, nothing at
// all once that is cleared, and no record open.
func (w *world) checkClean() {
	w.t.Helper()
	if left, _ := filepath.Glob(string(w.at.GitDir) + "/boo/applies/a*"); len(left) > 0 {
		w.t.Errorf("left behind: %v", left)
	}
	if err := w.engine.Clear(w.t.Context()); err != nil {
		w.t.Errorf("clear: %v", err)
	}
	for _, pattern := range []string{string(w.at.GitDir) + "/boo/applies/*", w.dir + "/.boo-*", w.repo + "/.boo-*"} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			w.t.Errorf("left behind: %v", left)
		}
	}
	open, err := w.store.Applies(w.t.Context(), "", orchestrator.ApplyPrepared)
	if err != nil || len(open) > 0 {
		w.t.Errorf("open records: %v %v", open, err)
	}
}

// run runs git as the person would.
func (w *world) run(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-c", "core.fsync=none", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+w.dir,
		"GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@x", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@x")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, stderr.Bytes())
	}
	return string(out)
}

// write writes files below dir: "-> target" is a symlink, "+x:" in front makes
// it executable, and nil-like "-" removes.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		path := filepath.Join(dir, name)
		if content == "-" {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		path := filepath.Join(dir, name)
		if content == "-" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		target, isLink := strings.CutPrefix(content, "-> ")
		if isLink {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		perm := fs.FileMode(0o644)
		body, isExec := strings.CutPrefix(content, "+x:")
		if isExec {
			perm = 0o755
		}
		if err := os.WriteFile(path, []byte(body), perm); err != nil {
			t.Fatal(err)
		}
	}
}

// edit returns what writes files, for a turn.
func (w *world) edit(files map[string]string) func(string) {
	return func(dir string) { write(w.t, dir, files) }
}

// tree reads everything below dir but git's own: directories, permissions,
// bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if rel == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			all[rel] = "directory"
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			all[rel] = "-> " + target
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] = info.Mode().String() + " " + string(content)
		default:
			all[rel] = info.Mode().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same compares two trees and names what differs.
func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, g := range got {
		if w, ok := want[name]; !ok {
			t.Errorf("%s: %q is there and should not be: %.60q", what, name, g)
		} else if g != w {
			t.Errorf("%s: %q is %.60q, want %.60q", what, name, g, w)
		}
	}
	for name, w := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %q is missing: %.60q", what, name, w)
		}
	}
}
