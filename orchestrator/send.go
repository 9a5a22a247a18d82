package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxPrompt is the longest prompt in bytes that a turn takes. What is longer
// belongs into a file that the prompt names.
const MaxPrompt = 1 << 20

const maxQueue = 16

// Send commits a prompt; see [Service.Send].
func (e *Engine) Send(ctx context.Context, req SendRequest) (Sent, error) {
	if sent, ok, err := e.sentBefore(ctx, req); ok || err != nil {
		return sent, err
	}
	req, err := e.filled(ctx, req)
	if err != nil {
		return Sent{}, err
	}
	if err := checkPrompts(req); err != nil && !req.Try {
		return Sent{}, err
	}
	target, err := e.target(ctx, req)
	if err != nil {
		return Sent{}, err
	}
	if err := e.Agents.Check(ctx, target.agent, req.Environ); err != nil || req.Try {
		return Sent{Agent: target.agent}, err
	}
	turn := Turn{
		Chat: target.chat, Agent: target.agent, Model: cmp.Or(req.Model, target.model), Mode: req.Mode,
		Key: req.Key, RetryOf: req.Retry, State: TurnQueued, Owner: e.Processes.Self(), Sent: e.Now(),
	}
	var ahead []Turn
	var newChat *NewChat
	if target.chat == "" {
		if newChat, err = e.newChat(ctx, target.checkout, req); err != nil {
			return Sent{}, err
		}
		turn.Chat, target.dir = newChat.Chat.ID, newChat.Worktree.Dir
		if target.ended != "" {
			newChat.Notices = append(newChat.Notices, fmt.Sprintf("chat %s is closed, so this is a new one; to go on with that: boo chat send -c %s", target.ended, target.ended))
		}
	} else if ahead, err = e.ahead(ctx, target.chat); err != nil {
		return Sent{}, err
	} else if _, err = e.leftOf(ctx, target.chat); err != nil {
		return Sent{}, err
	}
	turns, err := e.enqueue(ctx, turn, req, newChat)
	if req.Key != "" && CodeOf(err) == CodeConflict {
		if sent, ok, keyErr := e.sentBefore(ctx, req); ok || keyErr != nil { // the same request was faster
			return sent, keyErr
		}
	}
	if err != nil {
		return Sent{}, err
	}
	sent := Sent{Chat: turns[0].Chat, Turn: turns[0].ID, Agent: turn.Agent, NewChat: newChat != nil, Ahead: ahead, Dir: target.dir}
	for _, t := range turns[1:] {
		sent.More = append(sent.More, t.ID)
	}
	return sent, nil
}

// enqueue stores a turn for each prompt of a request, all of the form of one,
// and begins them in their order.
func (e *Engine) enqueue(ctx context.Context, form Turn, req SendRequest, newChat *NewChat) ([]Turn, error) {
	var turns []Turn
	var live []*liveTurn
	for _, prompt := range append([]string{req.Prompt}, req.More...) {
		form.ID, form.Prompt = NewTurnID(), prompt
		lt, err := e.admit(form, req)
		if err != nil {
			dismiss(live)
			return nil, err
		}
		turns, live = append(turns, form), append(live, lt)
	}
	first, err := e.Store.Enqueue(ctx, turns[0], newChat, turns[1:]...)
	if newChat != nil && newChat.Spare && CodeOf(err) == CodeConflict {
		e.withoutSpare(newChat) // another was faster
		turns[0].Chat = newChat.Chat.ID
		first, err = e.Store.Enqueue(ctx, turns[0], newChat, turns[1:]...)
	}
	if err != nil {
		dismiss(live)
		return nil, err
	}
	turns[0] = first
	live[0].begin(first)
	for i := 1; i < len(turns); i++ {
		turns[i].Chat, turns[i].Number = first.Chat, first.Number+int64(i)
		live[i].before = live[i-1]
		live[i].begin(turns[i])
	}
	return turns, nil
}

func dismiss(turns []*liveTurn) {
	for _, lt := range turns {
		lt.dismiss()
	}
}

// MaxPrompts is how many prompts may be sent at once.
const MaxPrompts = 256

func checkPrompts(req SendRequest) error {
	if err := CheckPrompt(req.Prompt); err != nil {
		return err
	}
	if n := 1 + len(req.More); n > MaxPrompts {
		return Errorf(CodeInvalid, "%d prompts at once are too many, the limit is %d; nothing was sent", n, MaxPrompts)
	}
	if len(req.More) > 0 && req.Key != "" {
		return Errorf(CodeInvalid, "an idempotency key is for one prompt, and there are %d; nothing was sent", 1+len(req.More))
	}
	for i, prompt := range req.More {
		if err := CheckPrompt(prompt); err != nil {
			return Errorf(CodeInvalid, "prompt %d: %w", i+2, err)
		}
	}
	return nil
}

// CheckPrompt reports nil if a text will do as a prompt, else CodeInvalid. [Engine.Send]
// asks it too; to ask before may spare the way there.
func CheckPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "":
		return Errorf(CodeInvalid, "the prompt is empty; nothing was sent").
			WithHint(`boo chat send "what you want done"`)
	case strings.ContainsRune(prompt, 0):
		return Errorf(CodeInvalid, "the prompt contains a NUL byte; nothing was sent")
	case !utf8.ValidString(prompt):
		return Errorf(CodeInvalid, "the prompt is not valid UTF-8; nothing was sent")
	case len(prompt) > MaxPrompt:
		return Errorf(CodeInvalid, "the prompt has %.1f MiB, the limit is %d MiB; nothing was sent",
			float64(len(prompt))/(1<<20), MaxPrompt>>20).
			WithHint(`put the text into a file of the repository and send: boo chat send "read FILE and …"`)
	}
	return nil
}

type sendTarget struct {
	checkout Checkout
	chat     ChatID // "" for a new one
	dir      WorktreeDir
	agent    AgentName
	model    string // that the chat has for the agent
	ended    ChatID // closed, so that the new one is told apart; "" if none is
}

// target finds out where a prompt goes, without making anything.
func (e *Engine) target(ctx context.Context, req SendRequest) (sendTarget, error) {
	t := sendTarget{agent: req.Agent}
	if req.New && req.Ref.Prefix != "" {
		return t, Errorf(CodeInvalid, "a chat was named and a new one asked for; nothing was sent")
	}
	var chat ChatSummary
	var found bool
	var err error
	if req.Ref.Prefix != "" {
		chat, err = e.resolve(ctx, req.Ref)
		found = err == nil
	} else {
		if t.checkout, err = e.checkout(ctx, req.Ref.Dir); err != nil {
			return t, err
		}
		if !req.New {
			chat, found, err = e.lastUsed(ctx, t.checkout, false)
		}
	}
	if err != nil {
		return t, err
	}
	if found && chat.Kind == KindRun && req.Ref.Prefix == "" {
		found = false // it was for one prompt
	}
	// A chat that was closed is opened again by who names it; who names none
	// begins a new one.
	if found && chat.State != ChatOpen && req.Ref.Prefix == "" {
		found = false
		if chat.State == ChatClosed {
			t.ended = chat.ID
		}
	}
	if found && chat.Worktree.State == WorktreePurged {
		return t, purged(chat.ID)
	}
	if found {
		t.chat, t.dir = chat.ID, chat.Worktree.Dir
		if req.Base != "" {
			return t, Errorf(CodeInvalid, "chat %s has its base commit already; --base is for new chats; nothing was sent", chat.ID).
				WithHint("boo chat send --new --base %s …", req.Base)
		}
		if len(req.Sparse) > 0 {
			return t, Errorf(CodeInvalid, "chat %s has its worktree already; --sparse is for new chats; nothing was sent", chat.ID).
				WithHint("boo chat send --new --sparse %s …", req.Sparse[0])
		}
		if t.agent == "" {
			t.agent = chat.Agent
		}
		if t.agent == chat.Agent && t.agent != "" {
			t.model = chat.Model
		}
		if t.agent == "" && len(chat.Agents) > 0 {
			if t.agent, err = e.lastAgent(ctx, chat.ID); err != nil {
				return t, err
			}
		}
	}
	if t.agent == "" {
		t.agent = e.Agent
	}
	return t, nil
}

func (e *Engine) lastAgent(ctx context.Context, chat ChatID) (AgentName, error) {
	last, err := e.Store.LastTurn(ctx, TurnQuery{Chat: chat})
	if CodeOf(err) == CodeNotFound {
		return "", nil
	}
	return last.Agent, err
}

// newChat prepares the rows of a chat; nothing is stored yet but the
// repository, which is the same for every chat.
func (e *Engine) newChat(ctx context.Context, c Checkout, req SendRequest) (*NewChat, error) {
	if err := e.room(ctx); err != nil {
		return nil, err
	}
	base, err := e.Trees.Base(ctx, c, BaseRequest{Rev: req.Base, Environ: req.Environ})
	if err != nil {
		return nil, err
	}
	sparse, err := e.sparse(ctx, c, req, base)
	if err != nil {
		return nil, err
	}
	now := e.Now()
	repo, err := e.Store.PutRepo(ctx, Repo{ID: NewRepoID(), CommonDir: c.CommonDir, Root: c.Dir, CreatedAt: now})
	if err != nil {
		return nil, err
	}
	kind := KindChat
	if req.Once {
		kind = KindRun
	}
	id, spare := e.spareFor(ctx, repo, base.Commit, sparse)
	return &NewChat{
		Chat: Chat{
			ID: id, Repo: repo.ID, Title: Title(req.Prompt), Kind: kind, State: ChatOpen, CreatedAt: now, LastUsedAt: now,
		},
		Worktree: Worktree{
			Chat: id, Repo: repo.ID, CommonDir: c.CommonDir, Dir: e.worktreeDir(repo.ID, id),
			Base: base.Commit, Baseline: base.Commit, State: WorktreeCreating, CreatedAt: now,
			Source: c.Dir, Sparse: sparse,
		},
		Notices: startNotices(base, sparse), Spare: spare,
	}, nil
}

// startNotices tells what of the person's work a chat starts without, and where its
// worktree has more files than the person's checkout.
func startNotices(base Base, sparse []string) []string {
	var notices []string
	for _, s := range base.Skipped {
		notices = append(notices, fmt.Sprintf("the chat starts without %s: %s", s.Path, s.Reason))
	}
	if base.ByPatterns && len(sparse) == 0 {
		notices = append(notices, "your sparse checkout is by patterns, not by directories: the worktree has all files; --sparse limits it to directories")
	}
	return notices
}

// Title is the first line of a prompt with something on it, in at most 72
// characters.
func Title(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if utf8.RuneCountInString(line) <= 72 {
		return line
	}
	return string([]rune(line)[:71]) + "…"
}

// ahead lists the turns of a chat that a new one has to wait for.
func (e *Engine) ahead(ctx context.Context, chat ChatID) ([]Turn, error) {
	turns, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return nil, err
	}
	var open []Turn
	for _, t := range turns {
		if t.Chat == chat {
			open = append(open, t)
		}
	}
	if len(open) > maxQueue {
		return nil, Errorf(CodeBusy, "chat %s has %d turns waiting already; nothing was sent", chat, len(open)-1).
			WithHint("boo chat send --new …")
	}
	return open, nil
}
