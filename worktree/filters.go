package worktree

import (
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// unfiltered warns of files that a worktree holds as their objects have them,
// because no filter is run: with Git LFS these are pointers. Only the attributes
// at the top are looked at, where its own command puts them.
func unfiltered(wt orchestrator.Worktree) []string {
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
	switch {
	case len(names) == 0:
		return nil
	case slices.Equal(names, []string{"lfs"}):
		return []string{"this repository keeps files with Git LFS: the worktree has their pointers, as boo runs no filters"}
	}
	return []string{"this repository has files that go through a filter (" + strings.Join(names, ", ") + "): the worktree has them as they are stored, as boo runs no filters"}
}
