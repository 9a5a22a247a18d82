package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// unfiltered warns of files that a worktree holds as their objects have them,
// because no filter is run but for Git LFS, and that not always. Only the
// attributes at the top are looked at, where its own command puts them.
func (e *Engine) unfiltered(ctx context.Context, wt orchestrator.Worktree) (warnings []string) {
	content, err := readSmall(filepath.Join(string(wt.Dir), ".gitattributes"), ruleLimit)
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, word := range strings.Fields(line) {
			if name, ok := strings.CutPrefix(word, "filter="); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if i := slices.Index(names, "lfs"); i >= 0 {
		names = slices.Delete(names, i, i+1)
		if why := e.whyPointers(ctx, wt); why != "" {
			warnings = append(warnings, "this repository keeps files with Git LFS: the worktree has their pointers, as "+why)
		}
	}
	if len(names) > 0 {
		warnings = append(warnings, "this repository has files that go through a filter ("+strings.Join(names, ", ")+"): the worktree has them as they are stored, as boo runs no filter but Git LFS")
	}
	return warnings
}
