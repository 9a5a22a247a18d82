package orchestrator

import (
	"context"
	"path"
	"strings"
)

// BaseRequest says what a new chat starts from.
type BaseRequest struct {
	// Rev is a revision as git rev-parse takes it, or one of these words: "" or
	// "head" is the commit checked out; "fresh" the remote's default branch,
	// fetched now; "dirty" the commit checked out with the person's uncommitted
	// and untracked work on it; "pr/7", "pr:7", "#7" and "mr/7" a pull or merge
	// request of the remote. A branch with such a name is reached by its full
	// one, refs/heads/fresh.
	Rev string
	// Environ is the environment that a fetch finds credentials in; that of the
	// process when nil.
	Environ []string
}

// Base is the commit that a new chat starts from.
type Base struct {
	Commit ObjectID
	// Skipped is the person's work that a dirty base had to leave out.
	Skipped []SkippedPath
	// Sparse are the directories that the person's checkout is limited to.
	Sparse []string
	// ByPatterns says that it is limited by patterns that are not directories, which
	// worktrees cannot be.
	ByPatterns bool
}

// FurnishRequest says what a new worktree gets besides its base.
type FurnishRequest struct {
	Include []string // patterns of ignored files to bring along, as in a gitignore file
	// Environ is the person's environment, in which what is kept with Git LFS is
	// fetched; nil for that of the process.
	Environ []string
}

// sparse says which directories a new worktree has files of: those asked for, or
// that the project asks for, or that the person's checkout has.
func (e *Engine) sparse(ctx context.Context, c Checkout, req SendRequest, base Base) ([]string, error) {
	dirs := req.Sparse
	if len(dirs) == 0 {
		if project, err := e.Projects.Project(ctx, c.Dir); err == nil { // setUp tells of what is wrong with it
			dirs = project.Sparse
		}
	}
	if len(dirs) == 0 {
		return base.Sparse, nil
	}
	var clean []string
	for _, dir := range dirs {
		p, err := ParsePath(path.Clean(strings.TrimSuffix(dir, "/")))
		if err != nil || p == "." {
			return nil, Errorf(CodeInvalid, "%q is no directory of the repository; nothing was sent", dir)
		}
		clean = append(clean, string(p))
	}
	return clean, nil
}
