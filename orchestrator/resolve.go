package orchestrator

import (
	"context"
	"path/filepath"
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

// lastUsed returns the chat last used in the repository of a checkout.
func (e *Engine) lastUsed(ctx context.Context, c Checkout) (ChatSummary, bool, error) {
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if CodeOf(err) == CodeNotFound && err != nil {
		return ChatSummary{}, false, nil
	}
	if err != nil {
		return ChatSummary{}, false, err
	}
	chats, err := e.Store.Chats(ctx, ChatQuery{Repo: repo.ID, Limit: 1})
	if err != nil || len(chats) == 0 {
		return ChatSummary{}, false, err
	}
	return chats[0], true, nil
}

// resolve finds the chat that ref names. A prefix is looked for in every
// repository; without one the repository decides.
func (e *Engine) resolve(ctx context.Context, ref ChatRef) (ChatSummary, error) {
	if ref.Prefix == "" {
		c, err := e.checkout(ctx, ref.Dir)
		if err != nil {
			return ChatSummary{}, err
		}
		chat, ok, err := e.lastUsed(ctx, c)
		if err == nil && !ok {
			err = Errorf(CodeNotFound, "no chat in %s yet", c.Dir).WithHint(`boo chat send "what you want done"`)
		}
		return chat, err
	}
	prefix, err := ParseChatPrefix(ref.Prefix)
	if err != nil {
		return ChatSummary{}, err
	}
	chats, err := e.Store.Chats(ctx, ChatQuery{Prefix: prefix})
	switch {
	case err != nil:
		return ChatSummary{}, err
	case len(chats) == 0:
		return ChatSummary{}, Errorf(CodeNotFound, "no chat %s", ref.Prefix).WithHint("boo chat ls --all")
	case len(chats) > 1:
		var ids []string
		for _, c := range chats {
			ids = append(ids, string(c.ID))
		}
		return ChatSummary{}, Errorf(CodeInvalid, "%s could be any of %s", ref.Prefix, strings.Join(ids, ", "))
	}
	return chats[0], nil
}
