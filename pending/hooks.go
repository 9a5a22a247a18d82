package pending

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// setting is what hostile changes are judged by, beside themselves.
type setting struct {
	target func(orchestrator.Change) (string, error) // where a symlink's entry points
	hooks  []orchestrator.Path                       // directories that git is told to run hooks from
}

func (e *Engine) setting(ctx context.Context, c orchestrator.Checkout) setting {
	s := setting{target: e.target(ctx, c.CommonDir)}
	dir := e.git.HooksDir(ctx, c)
	if filepath.IsAbs(dir) {
		root := string(c.Dir)
		if root == "" {
			root = filepath.Dir(string(c.CommonDir))
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return s
		}
		dir = rel
	}
	if dir = filepath.Clean(dir); filepath.IsLocal(dir) && dir != "." {
		s.hooks = append(s.hooks, orchestrator.Path(dir))
	}
	return s
}

// hookDirs are directories whose executable files git or a tool on top of it
// runs by itself.
var hookDirs = []string{".husky", ".githooks", "githooks", ".git-hooks", "git-hooks", ".git_hooks", "git_hooks", ".hooks", "hooks"}

// hook says why an executable file could be run by git itself.
func (s setting) hook(c orchestrator.Change) string {
	if c.New.Mode != orchestrator.ModeExec || c.New == c.Old || !s.runs(c.Path) {
		return ""
	}
	if c.Old.Mode == orchestrator.ModeExec {
		return "it changes an executable in a directory of hooks, which git may run by itself"
	}
	return "it becomes executable in a directory of hooks, which git may run by itself"
}

// runs reports whether git may run what is at a path.
func (s setting) runs(p orchestrator.Path) bool {
	if slices.ContainsFunc(s.hooks, p.Under) {
		return true
	}
	dir, _ := split(p)
	for name := range strings.SplitSeq(string(dir), "/") {
		if slices.Contains(hookDirs, foldKey(strings.ToLower(name))) || slices.Contains(hookDirs, strings.ToLower(name)) {
			return true
		}
	}
	return false
}
