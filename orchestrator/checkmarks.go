package orchestrator

import "context"

// markChecks puts into sets of pending changes what is known of their checks,
// and whether that still holds: a result does for the files that the checkout
// had then, and no others.
func (e *Engine) markChecks(ctx context.Context, sel ReviewSelector, sets []ChangeSet) error {
	if len(sets) == 0 || sel.Turn != "" {
		return nil
	}
	var repo RepoID
	if !sel.Everywhere {
		repo = sets[0].Chat.Repo
	}
	known, err := e.Store.CheckedChanges(ctx, repo)
	if err != nil || len(known) == 0 {
		return err
	}
	files := map[GitDir]ObjectID{} // as they are now
	for i := range sets {
		set := &sets[i]
		set.Checks = map[ChangeID][]CheckResult{}
		for _, c := range set.Changes {
			for _, r := range known[c.ID] {
				common := set.Chat.Worktree.CommonDir
				now, looked := files[common]
				if !looked {
					if now, err = e.filesNow(ctx, sel.Dir, *set); err != nil {
						return err
					}
					files[common] = now
				}
				r.Stale = r.Stale || r.Under != now
				set.Checks[c.ID] = append(set.Checks[c.ID], r)
			}
		}
	}
	return nil
}

// filesNow is the tree of the checkout that an apply of the set would go to; ""
// where there is none.
func (e *Engine) filesNow(ctx context.Context, dir string, set ChangeSet) (ObjectID, error) {
	for _, at := range []string{dir, string(set.Chat.RepoRoot)} {
		c, err := e.Trees.Checkout(ctx, at)
		if err != nil || c.CommonDir != set.Chat.Worktree.CommonDir {
			continue
		}
		if tree, _, err := e.Trees.Files(ctx, c); err == nil {
			return tree, nil
		}
		break // what cannot be read is not what was checked
	}
	return "", ctx.Err()
}
