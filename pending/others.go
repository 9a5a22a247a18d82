package pending

import (
	"context"
	"slices"
	"strings"

	"boo/orchestrator"
)

// others is the command that takes the changes that nothing speaks against once
// those in conflict stay behind: one of them may have needed one of these. It
// names them by id: that is the same wherever it is typed, whatever the paths.
func (e *Engine) others(ctx context.Context, c orchestrator.Checkout, parts []part, opts orchestrator.ApplyOptions, conflicts []orchestrator.PathConflict) string {
	for parts = without(parts, conflicts); len(parts) > 0; parts = without(parts, conflicts) {
		const most = 100 // more make no command for people
		if len(parts) > most {
			return "boo pending apply PATH…   (the paths that do not collide)"
		}
		var err error
		if conflicts, err = e.refused(ctx, c, parts, opts); err != nil {
			break
		}
		if len(conflicts) == 0 {
			return "boo pending apply " + strings.Join(ids(parts), " ")
		}
	}
	return "boo pending diff"
}

// refused lists what speaks against applying just these.
func (e *Engine) refused(ctx context.Context, c orchestrator.Checkout, parts []part, opts orchestrator.ApplyOptions) ([]orchestrator.PathConflict, error) {
	if found, err := hostile(wanted(parts), e.setting(ctx, c), opts.Allow); err != nil || len(found) > 0 {
		return found, err
	}
	t, err := openTree(string(c.Dir))
	if err != nil {
		return nil, err
	}
	defer t.close()
	moves, _, err := e.planAll(ctx, t, c, parts, opts)
	return refusals(moves), err
}

func without(parts []part, conflicts []orchestrator.PathConflict) []part {
	refused := map[orchestrator.Path]bool{}
	for _, c := range conflicts {
		refused[c.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return refused[p.row.Path] })
}

func ids(parts []part) []string {
	var names []string
	for _, p := range parts {
		names = append(names, string(p.row.ID))
	}
	return names
}
