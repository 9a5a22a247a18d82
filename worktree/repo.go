package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// repo is how a git command is pointed at objects and files: through a git
// directory of boo's own, with the object store of the person's repository.
// The configuration that an agent can write, the repository's and that of
// whatever stands in its tree, is not on the way.
type repo struct {
	gitDir   string
	objects  string
	borrowed string // an object store that is only read, beside objects
	workTree string
	index    string
	own      string // the index that the work tree's own git keeps; "" where that is not asked for
}

func (r repo) call(args ...string) gitcmd.Call {
	return gitcmd.Call{Args: args, GitDir: r.gitDir, Objects: r.objects, Borrowed: r.borrowed, WorkTree: r.workTree, Index: r.index,
		AtTop: r.workTree != "" && (args[0] == "update-index" || args[0] == "read-tree")}
}

// with returns r with another index.
func (r repo) with(index string) repo {
	r.index = index
	return r
}

// plain gives access to the objects of a repository, without a work tree. One
// git directory serves all repositories with the same hash: it is only a form
// that git insists on.
func (e *Engine) plain(common orchestrator.GitDir, like orchestrator.ObjectID) (repo, error) {
	kind := "sha1"
	if len(like) == 64 {
		kind = "sha256"
	}
	s := settings{bare: true, sha256: kind == "sha256"}
	// Git marks the store of a repository that a group shares like this; new
	// objects must then be the group's too.
	if info, err := os.Stat(objectsOf(common)); err == nil && info.Mode()&os.ModeSetgid != 0 {
		s.core = []setting{{"sharedrepository", "group"}}
		kind += "-group"
	}
	dir := filepath.Join(e.dir, "plain", kind)
	if err := writeGitDir(dir, s); err != nil {
		return repo{}, err
	}
	return repo{gitDir: dir, objects: objectsOf(common)}, nil
}

// checkout gives access to the files of a checkout of the person's, by the
// rules of their configuration as it is now.
func (e *Engine) checkout(ctx context.Context, c orchestrator.Checkout) (repo, error) {
	sum := sha256.Sum256([]byte(c.GitDir))
	dir := filepath.Join(e.dir, "checkouts", hex.EncodeToString(sum[:8]))
	s, err := e.settingsOf(ctx, c)
	if err != nil {
		return repo{}, err
	}
	if err := writeGitDir(dir, s.keptAt(lfsOf(c.CommonDir))); err != nil {
		return repo{}, err
	}
	return repo{gitDir: dir, objects: objectsOf(c.CommonDir), workTree: string(c.Dir)}, nil
}

// shared points a command at the repository itself. Only refs and revisions
// need that: they live nowhere else, and looking at them runs nothing.
func shared(common orchestrator.GitDir, args ...string) gitcmd.Call {
	return gitcmd.Call{Args: args, GitDir: string(common)}
}

func objectsOf(common orchestrator.GitDir) string {
	return filepath.Join(string(common), "objects")
}
