package pending

import (
	"context"
	"fmt"
	"strings"

	"boo/orchestrator"
)

// blended is what one path becomes.
type blended struct {
	entry   orchestrator.Entry
	merged  bool
	marked  bool   // with conflict markers
	refused string // why it cannot be, in words
}

// blend brings the three sides of a path together, wherever mine is: in the
// checkout, in the index, in a commit.
func (e *Engine) blend(ctx context.Context, common orchestrator.GitDir, base, mine, theirs orchestrator.Entry, markers bool) (blended, error) {
	v := judge(base, mine, theirs)
	switch v.action {
	case already:
		return blended{entry: mine}, nil
	case take:
		return blended{entry: theirs}, nil
	case refuse:
		return blended{refused: v.reason}, nil
	}
	merged, clean, err := e.git.MergeFiles(ctx, common, base, mine, theirs)
	if err != nil {
		return blended{}, err
	}
	if clean {
		entry := orchestrator.Entry{Mode: v.mode, ID: merged.ID}
		return blended{entry: entry, merged: entry != mine}, nil
	}
	marked, regions, ok, err := e.git.MergeMarked(ctx, common, base, mine, theirs)
	switch {
	case err != nil:
		return blended{}, err
	case !ok:
		return blended{refused: "you and the change both changed it, and it is binary or too large to merge"}, nil
	case markers:
		return blended{entry: orchestrator.Entry{Mode: v.mode, ID: marked.ID}, merged: true, marked: true}, nil
	}
	return blended{refused: "you and the change edited the same lines" + where(regions)}, nil
}

// where names lines of the person's file.
func where(regions [][2]int) string {
	const shown = 5
	var names []string
	for _, r := range regions[:min(shown, len(regions))] {
		switch {
		case r[1] > r[0]:
			names = append(names, fmt.Sprintf("%d-%d", r[0], r[1]))
		case r[1] == r[0]:
			names = append(names, fmt.Sprint(r[0]))
		default: // nothing is left there on the person's side
			names = append(names, fmt.Sprintf("after %d", r[1]))
		}
	}
	if len(regions) > shown {
		names = append(names, fmt.Sprintf("and %d more", len(regions)-shown))
	}
	if len(names) == 0 {
		return ""
	}
	return " (yours: " + strings.Join(names, ", ") + ")"
}
