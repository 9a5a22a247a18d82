package orchestrator

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Review lists changes to look at; see [Service.Review].
func (e *Engine) Review(ctx context.Context, sel ReviewSelector) ([]ChangeSet, error) {
	var sets []ChangeSet
	var err error
	if sel.Turn != "" {
		sets, err = e.turnShare(ctx, sel)
	} else {
		sets, err = e.pendingSets(ctx, sel)
	}
	if err != nil {
		return nil, err
	}
	for i := range sets {
		if sel.Agent != "" {
			sets[i].Changes = slices.DeleteFunc(sets[i].Changes, func(c Change) bool { return !slices.Contains(c.Agents(), sel.Agent) })
		}
		if err := e.enrich(ctx, &sets[i], sel); err != nil {
			return nil, err
		}
	}
	sets = slices.DeleteFunc(sets, func(s ChangeSet) bool { return len(s.Changes) == 0 })
	if sets, err = e.withLeftOut(ctx, sel, sets); err != nil {
		return nil, err
	}
	return sets, e.markChecks(ctx, sel, sets)
}

// pendingSets lists what is pending. Where nothing of the chat last used has
// the id that a person typed, the other chats of the repository are looked at.
func (e *Engine) pendingSets(ctx context.Context, sel ReviewSelector) ([]ChangeSet, error) {
	if sel.Everywhere {
		if err := e.confirmed(ctx, "", ""); err != nil {
			return nil, err
		}
		all, err := e.Store.Changes(ctx, ChangeQuery{States: []ChangeState{ChangePending}})
		if err != nil {
			return nil, err
		}
		if all, err = pick(all, Checkout{}, sel.ChangeSelector); err != nil {
			return nil, err
		}
		return e.byChat(ctx, ChatQuery{Shown: true}, all)
	}
	s, err := e.selectChanges(ctx, sel.ChangeSelector)
	if err != nil && CodeOf(err) == CodeNotFound && sel.Chat == "" && len(sel.Args) > 0 && allIDs(sel.Args) {
		sel.All = true
		s, err = e.selectChanges(ctx, sel.ChangeSelector)
	}
	if err != nil || len(s.changes) == 0 {
		return nil, err
	}
	repo, err := e.Store.RepoByDir(ctx, s.checkout.CommonDir)
	if err != nil {
		return nil, err
	}
	return e.byChat(ctx, ChatQuery{Repo: repo.ID, Shown: sel.Chat == ""}, s.changes)
}

func allIDs(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool { _, err := ParseChangePrefix(arg); return err != nil })
}

// byChat puts changes into sets, the chat last used first.
func (e *Engine) byChat(ctx context.Context, q ChatQuery, changes []Change) ([]ChangeSet, error) {
	chats, err := e.Store.Chats(ctx, q)
	if err != nil {
		return nil, err
	}
	of := map[ChatID][]Change{}
	for _, c := range changes {
		of[c.Chat] = append(of[c.Chat], c)
	}
	var sets []ChangeSet
	for i, chat := range chats {
		if len(of[chat.ID]) > 0 {
			sets = append(sets, ChangeSet{Chat: chat, Last: i == 0 && q.Repo != "", From: chat.Worktree.Baseline, Changes: of[chat.ID]})
		}
	}
	return sets, nil
}

// turnShare lists what one turn did to the files, or, where the person is asked
// for, what they did between the turn before and this one.
func (e *Engine) turnShare(ctx context.Context, sel ReviewSelector) ([]ChangeSet, error) {
	chat, err := e.resolve(ctx, ChatRef{Dir: sel.Dir, Prefix: sel.Chat})
	if err != nil {
		return nil, err
	}
	if err := e.confirmed(ctx, "", chat.ID); err != nil {
		return nil, err
	}
	turns, err := e.Store.Turns(ctx, chat.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(turns, func(t Turn) bool {
		return strconv.FormatInt(t.Number, 10) == sel.Turn || string(t.ID) == sel.Turn
	})
	if i < 0 {
		return nil, Errorf(CodeNotFound, "chat %s has no turn %s", chat.ID, sel.Turn).WithHint("boo chat show -c %s", chat.ID)
	}
	set := ChangeSet{Chat: chat, Turn: turns[i], From: turns[i].Before, To: turns[i].After}
	by := Contribution{Agent: turns[i].Agent, Turn: turns[i].ID}
	if sel.Agent == Person {
		by, set.From, set.To = owed(turns, turns[i]), snapshotBefore(turns[:i], chat.Worktree.Base), turns[i].Before
	}
	if set.From == "" || set.To == "" {
		return nil, Errorf(CodeNotFound, "turn %s has recorded no files: it is %s", sel.Turn, turns[i].State).WithHint("boo chat show -c %s", chat.ID)
	}
	share, err := e.Trees.Diff(ctx, chat.Worktree.CommonDir, set.From, set.To)
	if err != nil {
		return nil, err
	}
	for _, c := range share {
		set.Changes = append(set.Changes, Change{Chat: chat.ID, FileChange: c, Turn: by.Turn, Contributors: []Contribution{by}, CreatedAt: turns[i].Ended})
	}
	if len(sel.Args) > 0 {
		c, err := e.checkout(ctx, sel.Dir)
		if err != nil {
			return nil, err
		}
		set.Changes, err = pickPaths(set.Changes, c, sel.Args)
		return []ChangeSet{set}, err
	}
	return []ChangeSet{set}, nil
}

// snapshotBefore is the newest snapshot that earlier turns have left.
func snapshotBefore(earlier []Turn, base ObjectID) ObjectID {
	for _, t := range slices.Backward(earlier) {
		switch {
		case t.After != "":
			return t.After
		case t.Before != "":
			return t.Before
		}
	}
	return base
}

// pickPaths keeps the changes at or below the paths that a person typed.
func pickPaths(all []Change, c Checkout, args []string) ([]Change, error) {
	kept := map[Path]bool{}
	for _, arg := range args {
		path, err := repoPath(c, arg)
		if err != nil {
			return nil, err
		}
		before := len(kept)
		for _, ch := range all {
			if ch.Path.Under(path) {
				kept[ch.Path] = true
			}
		}
		if len(kept) == before {
			return nil, Errorf(CodeNotFound, "the turn did nothing at %s", arg)
		}
	}
	return slices.DeleteFunc(all, func(ch Change) bool { return !kept[ch.Path] }), nil
}

// enrich finds out what the rows do not say.
func (e *Engine) enrich(ctx context.Context, set *ChangeSet, sel ReviewSelector) error {
	common := set.Chat.Worktree.CommonDir
	if sel.Renames && mayRename(set.Changes) {
		to, err := e.destination(ctx, *set)
		if err != nil {
			return err
		}
		all, err := e.Trees.Renames(ctx, common, set.From, to)
		if err != nil {
			return err
		}
		set.Renames = among(all, set.Changes)
	}
	if !sel.Sizes {
		return nil
	}
	var ids []ObjectID
	for _, c := range set.Changes {
		for _, side := range []Entry{c.Old, c.New} {
			if c.Bulky() && side.Exists() && side.Mode != ModeGitlink {
				ids = append(ids, side.ID)
			}
		}
	}
	var err error
	set.Sizes, err = e.Trees.Sizes(ctx, common, ids)
	return err
}

func mayRename(changes []Change) bool {
	has := func(op ChangeOp) bool {
		return slices.ContainsFunc(changes, func(c Change) bool { return c.Op() == op })
	}
	return has(OpCreate) && has(OpDelete)
}

// among keeps the renames of which both sides are shown.
func among(renames []Rename, changes []Change) []Rename {
	op := make(map[Path]ChangeOp, len(changes))
	for _, c := range changes {
		op[c.Path] = c.Op()
	}
	return slices.DeleteFunc(renames, func(r Rename) bool { return op[r.From] != OpDelete || op[r.To] != OpCreate })
}

// destination is the commit that a set leads to.
func (e *Engine) destination(ctx context.Context, set ChangeSet) (ObjectID, error) {
	if set.To != "" {
		return set.To, nil
	}
	return e.newest(ctx, set.Chat.Worktree)
}

// WriteDiff writes changes as a patch; see [Service.WriteDiff].
func (e *Engine) WriteDiff(ctx context.Context, w io.Writer, set ChangeSet, changes []Change, words bool) error {
	if len(changes) == 0 {
		return nil
	}
	to, err := e.destination(ctx, set)
	if err != nil {
		return err
	}
	var paths []Path
	if set.Turn.ID == "" || len(changes) < len(set.Changes) {
		for _, c := range changes {
			paths = append(paths, c.Path)
		}
		slices.SortFunc(paths, func(a, b Path) int { return strings.Compare(string(a), string(b)) })
	}
	write := e.Trees.WritePatch
	if words {
		write = e.Trees.WriteWords
	}
	return write(ctx, w, set.Chat.Worktree.CommonDir, set.From, to, paths)
}
