package orchestrator

import (
	"cmp"
	"context"
)

// CreateChat makes a chat without a prompt; see [Service.CreateChat].
func (e *Engine) CreateChat(ctx context.Context, req CreateRequest) (ChatSummary, error) {
	name, err := ParseChatName(req.Name)
	if err != nil {
		return ChatSummary{}, Errorf(CodeInvalid, "%w; nothing was made", err).WithHint("boo chat create --help")
	}
	c, err := e.checkout(ctx, req.Dir)
	if err != nil {
		return ChatSummary{}, err
	}
	agent := cmp.Or(req.Agent, e.Agent)
	if err := e.Agents.Check(ctx, agent, req.Environ); err != nil {
		return ChatSummary{}, err
	}
	made, err := e.newChat(ctx, c, SendRequest{Base: req.Base, Sparse: req.Sparse, Environ: req.Environ})
	if err != nil {
		return ChatSummary{}, err
	}
	made.Chat.Name, made.Chat.Agent, made.Chat.Model = name, agent, req.Model
	if err := e.makeChat(ctx, made); err != nil {
		return ChatSummary{}, err
	}
	return e.resolve(ctx, ChatRef{Prefix: string(made.Chat.ID)})
}

// makeChat stores a chat, without its spare if another was faster.
func (e *Engine) makeChat(ctx context.Context, c *NewChat) error {
	err := e.Store.CreateChat(ctx, *c)
	if !c.Spare || CodeOf(err) != CodeConflict {
		return err
	}
	e.withoutSpare(c)
	return e.Store.CreateChat(ctx, *c)
}
