package worktree

import (
	"context"
	"strings"

	"boo/orchestrator"
)

// Staged returns the entries that the checkout's index has at paths.
// CodeConflict where it is in the midst of a merge at one of them, or has a
// file where another of the paths needs a directory, or the other way round.
// Cost follows the size of the index.
func (e *Engine) Staged(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path) (map[orchestrator.Path]orchestrator.Entry, error) {
	return e.stagedIn(ctx, c, "", paths)
}

// stagedIn is Staged for an index of the checkout's in another file.
func (e *Engine) stagedIn(ctx context.Context, c orchestrator.Checkout, index string, paths []orchestrator.Path) (map[orchestrator.Path]orchestrator.Entry, error) {
	call := own(c, "ls-files", "-s", "-z")
	call.Index = index
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, coded(err, "read the index of %s", c.Dir)
	}
	wanted := make(map[orchestrator.Path]bool, len(paths))
	above := map[orchestrator.Path]bool{}
	for _, p := range paths {
		wanted[p] = true
		for i := range len(p) {
			if p[i] == '/' {
				above[p[:i]] = true
			}
		}
	}
	found := make(map[orchestrator.Path]orchestrator.Entry, len(paths))
	for line := range strings.SplitSeq(string(out.Stdout), "\x00") {
		info, name, ok := strings.Cut(line, "\t")
		path := orchestrator.Path(name)
		switch {
		case !ok:
		case above[path] && !wanted[path]:
			return nil, orchestrator.Errorf(orchestrator.CodeConflict, "your index has the file %s, where the change needs a directory", path)
		case wanted[path] && !strings.HasSuffix(info, " 0"):
			return nil, orchestrator.Errorf(orchestrator.CodeConflict, "your index has a merge at %s that is not resolved", path).WithHint("git status")
		case wanted[path]:
			list, err := parseIndexed([]byte(line))
			if err != nil {
				return nil, err
			}
			found[path] = list[0].entry
		default:
			if dir := fileAbove(path, wanted); dir != "" {
				return nil, orchestrator.Errorf(orchestrator.CodeConflict, "your index has %s, where the change has the file %s", path, dir)
			}
		}
	}
	return found, nil
}

func fileAbove(p orchestrator.Path, wanted map[orchestrator.Path]bool) orchestrator.Path {
	for i := range len(p) {
		if p[i] == '/' && wanted[p[:i]] {
			return p[:i]
		}
	}
	return ""
}
