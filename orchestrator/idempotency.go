package orchestrator

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxKey = 200

// checkKey reports nil if a text will do as the key of a prompt.
func checkKey(key string) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsFunc(key, odd) {
		return Errorf(CodeInvalid, "an idempotency key has at most %d bytes, and no control characters; nothing was sent", maxKey)
	}
	return nil
}

// sentBefore finds the turn of a request whose key was used before: in the chat
// that it names, or else in its repository. CodeInvalid if that turn was sent
// something else.
func (e *Engine) sentBefore(ctx context.Context, req SendRequest) (sent Sent, ok bool, err error) {
	if req.Key == "" {
		return Sent{}, false, nil
	}
	if err := checkKey(req.Key); err != nil {
		return Sent{}, false, err
	}
	repo, chat, err := e.scopeOf(ctx, req)
	if err != nil || repo == "" && chat == "" {
		return Sent{}, false, err
	}
	t, err := e.Store.TurnByKey(ctx, repo, chat, req.Key)
	if CodeOf(err) == CodeNotFound && err != nil {
		return Sent{}, false, nil
	}
	if err != nil {
		return Sent{}, false, err
	}
	if err := sameRequest(req, t); err != nil {
		return Sent{}, false, err
	}
	wt, err := e.Store.Worktree(ctx, t.Chat)
	if err != nil {
		return Sent{}, false, err
	}
	return Sent{Chat: t.Chat, Turn: t.ID, Agent: t.Agent, Dir: wt.Dir, Repeated: true}, true, nil
}

// scopeOf says where the key of a request is looked for: both are "" in a
// repository that boo has not been used in.
func (e *Engine) scopeOf(ctx context.Context, req SendRequest) (RepoID, ChatID, error) {
	if req.Retry != "" {
		t, err := e.Store.Turn(ctx, req.Retry)
		return "", t.Chat, err
	}
	if req.Ref.Prefix != "" {
		chat, err := e.resolve(ctx, req.Ref)
		return "", chat.ID, err
	}
	repo, ok, err := e.repoOf(ctx, req.Ref.Dir)
	if err != nil || !ok {
		return "", "", err
	}
	return repo.ID, "", nil
}

// sameRequest refuses a key that stands for something else.
func sameRequest(req SendRequest, t Turn) error {
	prompt := req.Prompt
	if req.ResumeHalted && prompt == "" {
		prompt = continuePrompt
	}
	what := ""
	switch {
	case req.Retry != t.RetryOf:
		what = "another turn to repeat"
	case req.Retry == "" && prompt != t.Prompt:
		what = "another prompt"
	case req.Agent != "" && req.Agent != t.Agent:
		what = "another agent"
	case req.Model != "" && req.Model != t.Model:
		what = "another model"
	default:
		return nil
	}
	return Errorf(CodeInvalid, "the idempotency key %q was used for turn %s, with %s; nothing was sent", req.Key, t.ID, what).
		WithHint("boo turn show %s   (or use another key)", t.ID)
}
