package orchestrator

import (
	"context"
	"path/filepath"
	"strings"
)

// Changes lists pending changes; see [Service.Changes].
func (e *Engine) Changes(ctx context.Context, sel ChangeSelector) ([]Change, error) {
	s, err := e.selectChanges(ctx, sel)
	return s.changes, err
}

// selection is what a selector stands for.
type selection struct {
	checkout Checkout
	chat     ChatID // the one chat of all changes; "" for those of a repository
	changes  []Change
}

func (e *Engine) selectChanges(ctx context.Context, sel ChangeSelector) (selection, error) {
	var s selection
	var err error
	if s.checkout, err = e.checkout(ctx, sel.Dir); err != nil {
		return s, err
	}
	repo, err := e.Store.RepoByDir(ctx, s.checkout.CommonDir)
	if err != nil {
		if CodeOf(err) == CodeNotFound && len(sel.Args) == 0 && sel.Chat == "" {
			return s, nil
		}
		return s, err
	}
	q := ChangeQuery{Repo: repo.ID, States: []ChangeState{ChangePending}}
	if !sel.All {
		chat, err := e.resolve(ctx, ChatRef{Dir: sel.Dir, Prefix: sel.Chat})
		if err != nil {
			return s, err
		}
		if chat.Chat.Repo != repo.ID {
			return s, Errorf(CodeInvalid, "chat %s belongs to %s, not to the repository you are in", chat.ID, chat.RepoRoot).
				WithHint("cd %s", chat.RepoRoot)
		}
		q.Chat, s.chat = chat.ID, chat.ID
	}
	if err := e.confirmed(ctx, q.Repo, q.Chat); err != nil {
		return s, err
	}
	all, err := e.Store.Changes(ctx, q)
	if err != nil {
		return s, err
	}
	s.changes, err = pick(all, s.checkout, sel)
	return s, err
}

// pick keeps the changes that the arguments name.
func pick(all []Change, c Checkout, sel ChangeSelector) ([]Change, error) {
	if len(sel.Args) == 0 {
		return all, nil
	}
	chosen := map[ChangeID]bool{}
	for _, arg := range sel.Args {
		byID, byPath := matching(all, c, arg)
		switch {
		case len(byID) > 0 && len(byPath) > 0:
			return nil, Errorf(CodeInvalid, "%s is both a change (%s) and a path", arg, byID[0]).
				WithHint("write ./%s for the path, or more of the change's id", arg)
		case len(byID) > 1:
			return nil, Errorf(CodeInvalid, "%s could be %s or %s", arg, byID[0], byID[1])
		case len(byID)+len(byPath) == 0:
			return nil, Errorf(CodeNotFound, "no pending change at %s", arg).WithHint("boo pending ls")
		}
		for _, id := range append(byID, byPath...) {
			chosen[id] = true
		}
	}
	var kept []Change
	for _, ch := range all {
		if chosen[ch.ID] {
			kept = append(kept, ch)
		}
	}
	return kept, nil
}

func matching(all []Change, c Checkout, arg string) (byID, byPath []ChangeID) {
	prefix, idErr := ParseChangePrefix(arg)
	path, pathErr := repoPath(c, arg)
	for _, ch := range all {
		if idErr == nil && strings.HasPrefix(string(ch.ID), prefix) {
			byID = append(byID, ch.ID)
		}
		// A name that lists show quoted is taken as it was shown, too.
		if pathErr == nil && ch.Path.Under(path) || arg == ch.Path.String() {
			byPath = append(byPath, ch.ID)
		}
	}
	return byID, byPath
}

// repoPath turns what a person typed in dir into a path of the repository; ""
// stands for its top.
func repoPath(c Checkout, arg string) (Path, error) {
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(string(c.Dir), string(c.Prefix), arg)
	}
	rel, err := filepath.Rel(string(c.Dir), arg)
	if err != nil || rel == "." {
		return "", err
	}
	return ParsePath(filepath.ToSlash(rel))
}
