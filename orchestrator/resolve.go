package orchestrator

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// checkout finds the person's work tree, and refuses the worktree of a chat:
// what is in there is the agents', and boo does not run from it. A repository
// that was moved is known again afterwards.
func (e *Engine) checkout(ctx context.Context, dir string) (Checkout, error) {
	c, err := e.Trees.Checkout(ctx, dir)
	if err != nil {
		return c, err
	}
	if rel, err := filepath.Rel(e.Worktrees, string(c.Dir)); err == nil && filepath.IsLocal(rel) && rel != "." {
		return c, Errorf(CodeInvalid, "%s is the worktree of chat %s, not a checkout of yours", c.Dir, filepath.Base(string(c.Dir))).
			WithHint("cd into your own checkout and run the command there")
	}
	return c, e.recognise(ctx, c)
}

// lastUsed returns the chat last used in the repository of a checkout; shown
// leaves out those that were removed.
func (e *Engine) lastUsed(ctx context.Context, c Checkout, shown bool) (ChatSummary, bool, error) {
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if CodeOf(err) == CodeNotFound && err != nil {
		return ChatSummary{}, false, nil
	}
	if err != nil {
		return ChatSummary{}, false, err
	}
	chats, err := e.Store.Chats(ctx, ChatQuery{Repo: repo.ID, Shown: shown, Limit: 1})
	if err != nil || len(chats) == 0 {
		return ChatSummary{}, false, err
	}
	return chats[0], true, nil
}

// resolve finds the chat that ref names. An id is looked for in every
// repository, a name in the one that ref.Dir is in; without either the
// repository decides.
func (e *Engine) resolve(ctx context.Context, ref ChatRef) (ChatSummary, error) {
	if ref.Prefix == "" {
		c, err := e.checkout(ctx, ref.Dir)
		if err != nil {
			return ChatSummary{}, err
		}
		chat, ok, err := e.lastUsed(ctx, c, true)
		if err == nil && !ok {
			err = Errorf(CodeNotFound, "no chat in %s yet", c.Dir).WithHint(`boo chat send "what you want done"`)
		}
		return chat, err
	}
	called, err := ParseChatArgument(ref.Prefix)
	if err != nil {
		return ChatSummary{}, err
	}
	chats, err := e.Store.Chats(ctx, ChatQuery{Called: called})
	if err != nil {
		return ChatSummary{}, err
	}
	if chats, err = e.within(ctx, ref.Dir, called, chats); err != nil {
		return ChatSummary{}, err
	}
	chats = present(called, chats)
	switch len(chats) {
	case 0:
		return ChatSummary{}, Errorf(CodeNotFound, "no chat %s", ref.Prefix).WithHint("boo chat ls --all")
	case 1:
		return chats[0], nil
	}
	var which []string
	for _, c := range chats {
		which = append(which, c.called())
	}
	return ChatSummary{}, Errorf(CodeInvalid, "%s could be any of %s", ref.Prefix, strings.Join(which, ", ")).WithHint("name it by its id, or by more of that")
}

// called is how a chat is told from others: by its id, and its name.
func (c ChatSummary) called() string {
	if c.Name == "" {
		return string(c.ID)
	}
	return string(c.ID) + " (" + string(c.Name) + ")"
}

// within keeps of the chats that are called so those of which that is the id,
// and those whose name it is in the repository of a directory. Outside of any
// repository it keeps all.
func (e *Engine) within(ctx context.Context, dir, called string, chats []ChatSummary) ([]ChatSummary, error) {
	foreign := func(c ChatSummary) bool { return string(c.Name) == called && !strings.HasPrefix(string(c.ID), called) }
	if !slices.ContainsFunc(chats, foreign) {
		return chats, nil
	}
	repo, _, err := e.repoOf(ctx, dir)
	if CodeOf(err) == CodeNotFound && err != nil {
		return chats, nil
	}
	if err != nil {
		return nil, err
	}
	var kept []ChatSummary
	for _, c := range chats {
		if !foreign(c) || c.Chat.Repo == repo.ID {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, Errorf(CodeNotFound, "no chat of this repository has the name %s; one of %s has", called, chats[0].RepoRoot).
			WithHint("name it by its id: %s", chats[0].ID)
	}
	return kept, nil
}

// present leaves out, of the chats that are called so, those that were removed if
// another has their name now.
func present(called string, chats []ChatSummary) []ChatSummary {
	if !slices.ContainsFunc(chats, func(c ChatSummary) bool { return string(c.Name) == called && c.State != ChatArchived }) {
		return chats
	}
	return slices.DeleteFunc(chats, func(c ChatSummary) bool {
		return c.State == ChatArchived && string(c.Name) == called && !strings.HasPrefix(string(c.ID), called)
	})
}
