package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"boo/orchestrator"
)

// fakeService stands for the orchestrator: it plays a turn that the prompt
// names, at a pace, and remembers what it was told. It is our own interface, so
// nothing outside is pretended.
type fakeService struct {
	orchestrator.Service // what is not here must not be called

	pace    time.Duration // between two events
	ahead   []orchestrator.Turn
	turns   []orchestrator.Turn // of the chat, as Chat shows it
	chats   []orchestrator.ChatSummary
	pending []orchestrator.Change
	sets    []orchestrator.ChangeSet // what is reviewed; the pending ones when nil
	patch   string
	words   string
	blamed  orchestrator.BlamedFile
	apply   orchestrator.ApplyResult
	applied error

	collisions []orchestrator.Collision
	settled    []orchestrator.Recovery

	log []orchestrator.Event

	mu           sync.Mutex
	requests     []orchestrator.SendRequest
	stops        []bool
	stoppedTurns []orchestrator.TurnID
	stopped      chan struct{} // closed by the first Stop
	ended        chan struct{} // closed by a Stop that is to act at once
	answers      map[orchestrator.PermissionID]orchestrator.PermissionAnswer
	answered     chan struct{}
	closed       bool
	chatClosed   []string
}

func newFake() *fakeService {
	return &fakeService{
		stopped: make(chan struct{}), ended: make(chan struct{}), answered: make(chan struct{}), answers: map[orchestrator.PermissionID]orchestrator.PermissionAnswer{},
		patch: "diff --git a/greet.go b/greet.go\n--- a/greet.go\n+++ b/greet.go\n@@ -1 +1 @@\n-old\n+new \x1b]52;c;AAAA\x07\n",
		pending: []orchestrator.Change{
			change("p000000001", "greet.go", orchestrator.OpEdit, 12, 3),
			change("p000000002", "docs/\u202egnp.exe", orchestrator.OpCreate, 7, 0),
		},
	}
}

func change(id orchestrator.ChangeID, path orchestrator.Path, op orchestrator.ChangeOp, added, deleted int) orchestrator.Change {
	c := orchestrator.Change{
		ID: id, Chat: "c000000001", State: orchestrator.ChangePending, Turn: "t000000001",
		Contributors: []orchestrator.Contribution{{Agent: "goose", Turn: "t000000001"}},
		FileChange:   orchestrator.FileChange{Path: path, Added: added, Deleted: deleted},
	}
	if op != orchestrator.OpCreate {
		c.Old = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: "1111111111111111111111111111111111111111"}
	}
	if op != orchestrator.OpDelete {
		c.New = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: "2222222222222222222222222222222222222222"}
	}
	return c
}

// playedTree is the worktree of the chat that is played.
const playedTree = "/data/worktrees/r1/c000000001"

func (f *fakeService) Recover(context.Context) ([]orchestrator.Recovery, error) {
	return f.settled, nil
}

func (f *fakeService) Close() error {
	f.closed = true
	return nil
}

func (f *fakeService) Send(_ context.Context, req orchestrator.SendRequest) (orchestrator.Sent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	if strings.HasPrefix(req.Prompt, "unsendable") {
		return orchestrator.Sent{}, orchestrator.Errorf(orchestrator.CodeNotFound, "there is no agent %q", req.Agent).WithHint("boo agents ls")
	}
	return orchestrator.Sent{Chat: "c000000001", Turn: "t000000001", Agent: cmp.Or(req.Agent, "goose"), NewChat: true, Ahead: f.ahead, Dir: playedTree}, nil
}

func (f *fakeService) CloseChat(_ context.Context, ref orchestrator.ChatRef, o orchestrator.CloseOptions) (orchestrator.ClosedChat, error) {
	if !o.KeepWorktree && !o.Force {
		return orchestrator.ClosedChat{}, orchestrator.Errorf(orchestrator.CodeAtRisk, "2 changes are pending")
	}
	f.chatClosed = append(f.chatClosed, ref.Prefix)
	return orchestrator.ClosedChat{Chat: orchestrator.ChatID(ref.Prefix)}, nil
}

func (f *fakeService) Stop(_ context.Context, turn orchestrator.TurnID, now bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops, f.stoppedTurns = append(f.stops, now), append(f.stoppedTurns, turn)
	if len(f.stops) == 1 {
		close(f.stopped)
	}
	if now {
		close(f.ended)
	}
	return nil
}

func (f *fakeService) Answer(_ context.Context, id orchestrator.PermissionID, a orchestrator.PermissionAnswer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[id] = a
	close(f.answered)
	return nil
}

func (f *fakeService) Chats(context.Context, orchestrator.ChatsRequest) ([]orchestrator.ChatSummary, error) {
	return f.chats, nil
}

func (f *fakeService) Chat(context.Context, orchestrator.ChatRef) (orchestrator.ChatDetail, error) {
	var d orchestrator.ChatDetail
	if len(f.chats) > 0 {
		d.ChatSummary = f.chats[0]
	}
	d.ID, d.TurnList = "c000000001", f.turns
	d.Worktree.Dir = playedTree
	return d, nil
}

func (f *fakeService) Log(_ context.Context, _ orchestrator.ChatRef, after orchestrator.Seq, limit int) ([]orchestrator.Event, error) {
	rest := f.log[min(int(after), len(f.log)):]
	return rest[:min(limit, len(rest))], nil
}

func (f *fakeService) Changes(context.Context, orchestrator.ChangeSelector) ([]orchestrator.Change, error) {
	return f.pending, nil
}

func (f *fakeService) Review(_ context.Context, sel orchestrator.ReviewSelector) ([]orchestrator.ChangeSet, error) {
	if f.sets != nil {
		return f.sets, nil
	}
	set := orchestrator.ChangeSet{Last: true}
	for _, c := range f.pending {
		if len(sel.Args) == 0 || sel.Args[0] == string(c.ID) || sel.Args[0] == string(c.Path) {
			set.Changes = append(set.Changes, c)
		}
	}
	if len(set.Changes) == 0 {
		return nil, nil
	}
	return []orchestrator.ChangeSet{set}, nil
}

func (f *fakeService) WriteDiff(_ context.Context, w io.Writer, _ orchestrator.ChangeSet, _ []orchestrator.Change, words bool) error {
	patch := f.patch
	if words {
		patch = f.words
	}
	_, err := io.WriteString(w, patch)
	return err
}

func (f *fakeService) Blame(context.Context, orchestrator.ChatRef, string) (orchestrator.BlamedFile, error) {
	return f.blamed, nil
}

func (f *fakeService) Conflicts(context.Context, orchestrator.ReviewSelector) ([]orchestrator.Collision, error) {
	return f.collisions, nil
}

func (f *fakeService) Dangers(context.Context, orchestrator.ChangeSet) (map[orchestrator.Path]orchestrator.PathConflict, error) {
	return nil, nil
}

func (f *fakeService) Apply(context.Context, orchestrator.ChangeSelector, orchestrator.ApplyOptions) (orchestrator.ApplyResult, error) {
	return f.apply, f.applied
}

// Follow plays the turn that the newest prompt names.
func (f *fakeService) Follow(ctx context.Context, _ orchestrator.TurnID, _ orchestrator.Seq, yield func(orchestrator.Event) error) error {
	p := &player{f: f, ctx: ctx, yield: yield}
	f.mu.Lock()
	prompt := "work"
	if len(f.requests) > 0 {
		prompt = f.requests[len(f.requests)-1].Prompt
	}
	f.mu.Unlock()
	p.say(orchestrator.Event{Kind: orchestrator.EventPrompt, Agent: "goose", Text: prompt})
	p.say(orchestrator.Event{Kind: orchestrator.EventTurn, State: orchestrator.TurnAccepted})
	p.say(orchestrator.Event{Kind: orchestrator.EventSession, Agent: "goose", Session: &orchestrator.SessionInfo{Rung: orchestrator.RungNew, Version: "1.52.0"}})
	play, ok := plays[strings.Fields(prompt)[0]]
	if !ok {
		play = plays["work"]
	}
	play(p)
	return p.err
}

// FollowChat passes the log on, and then what Follow plays.
func (f *fakeService) FollowChat(ctx context.Context, _ orchestrator.ChatID, after orchestrator.Seq, yield func(orchestrator.Event) error) error {
	for _, ev := range f.log[min(int(after), len(f.log)):] {
		if err := yield(ev); err != nil {
			return err
		}
	}
	if err := f.Follow(ctx, "", 0, yield); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// player tells the events of a turn.
type player struct {
	f     *fakeService
	ctx   context.Context
	yield func(orchestrator.Event) error
	seq   orchestrator.Seq
	err   error
}

func (p *player) say(ev orchestrator.Event) {
	if p.err != nil {
		return
	}
	if p.f.pace > 0 {
		select {
		case <-time.After(p.f.pace):
		case <-p.ctx.Done():
		}
	}
	p.seq++
	ev.Seq, ev.Chat, ev.Turn, ev.At = p.seq, "c000000001", "t000000001", time.Unix(1_800_000_000, 0).UTC()
	p.err = p.yield(ev)
}

func (p *player) text(id, text string) {
	for word := range strings.SplitAfterSeq(text, " ") {
		p.say(orchestrator.Event{Kind: orchestrator.EventText, Text: word, MessageID: id})
	}
}

func (p *player) tool(id, kind, title, status string, more ...string) {
	t := &orchestrator.ToolCall{ID: id, Kind: kind, Title: title, Status: status}
	if len(more) > 0 {
		t.Locations = more
	}
	p.say(orchestrator.Event{Kind: orchestrator.EventTool, Tool: t})
}

func (p *player) end(state orchestrator.TurnState, reason string) { p.endWith(state, reason, "") }

func (p *player) endWith(state orchestrator.TurnState, reason, hint string) {
	p.say(orchestrator.Event{Kind: orchestrator.EventSummary, Summary: &orchestrator.TurnSummary{
		State: state, Reason: reason, Hint: hint, Rung: orchestrator.RungNew, Duration: 12_345, Pending: 2,
		Usage: orchestrator.Usage{Input: 1234, Output: 567},
		Files: []orchestrator.FileStat{
			{Path: "greet.go", Op: orchestrator.OpEdit, Added: 12, Deleted: 3},
			{Path: "logo.png", Op: orchestrator.OpCreate, Binary: true},
		},
	}})
	p.say(orchestrator.Event{Kind: orchestrator.EventTurn, State: state, Text: reason, Hint: hint})
}

// plays are the turns that a prompt's first word chooses.
var plays = map[string]func(*player){
	"work": func(p *player) {
		const wt = "/data/worktrees/r1/c000000001/"
		p.say(orchestrator.Event{Kind: orchestrator.EventThought, Text: "The person wants shouting.\nI will look at the code first."})
		p.text("m1", "I will add a --shout flag to greet and document it. ")
		p.tool("1", "read", "view", "in_progress", wt+"greet.go")
		p.tool("2", "read", "view", "in_progress", wt+"README.md")
		p.tool("2", "read", "view", "completed", wt+"README.md")
		p.text("m2", "While that runs, here is a longer text that goes on and on, so that it is wider than the terminal is.\nSecond line, ")
		p.tool("1", "read", "view", "completed", wt+"greet.go")
		p.text("m2", "which goes on.\n")
		p.say(orchestrator.Event{Kind: orchestrator.EventPlan, Plan: []orchestrator.PlanEntry{{Content: "edit", Status: "in_progress"}, {Content: "test", Status: "pending"}}})
		p.tool("3", "edit", "edit", "in_progress", wt+"greet.go")
		p.tool("3", "edit", "edit", "completed", wt+"greet.go")
		p.say(orchestrator.Event{Kind: orchestrator.EventPlan, Plan: []orchestrator.PlanEntry{{Content: "edit", Status: "completed"}, {Content: "test", Status: "in_progress"}}})
		p.say(orchestrator.Event{Kind: orchestrator.EventTool, Tool: &orchestrator.ToolCall{
			ID: "4", Kind: "execute", Status: "failed", Input: json.RawMessage(`{"command":"go test ./..."}`), Output: "exit status 1",
		}})
		p.text("m3", "Done: `greet --shout` shouts.")
		p.end(orchestrator.TurnCompleted, "")
	},
	"answer": func(p *player) {
		p.text("m1", "Let me see.")
		p.text("m2", `"fine"`)
		p.end(orchestrator.TurnCompleted, "")
	},
	"hostile": func(p *player) {
		p.say(orchestrator.Event{Kind: orchestrator.EventText, Text: "a\x1b[2J\x1b]0;owned\x07b \x1b"})
		p.say(orchestrator.Event{Kind: orchestrator.EventText, Text: "[31mred\rover\u009b5A"})
		p.tool("1", "", "t\x1b[1A\ntwo\u202e", "completed", "/data/worktrees/r1/c000000001/\x1b[Kx")
		p.end(orchestrator.TurnCompleted, "")
	},
	"fail": func(p *player) { p.endWith(orchestrator.TurnFailed, "goose has no model provider", "goose configure") },
	"halt": func(p *player) { p.end(orchestrator.TurnHalted, "budget") },
	"die":  func(p *player) { p.end(orchestrator.TurnInterrupted, "the agent was killed") },
	"hang": func(p *player) {
		p.text("m1", "working on it")
		select {
		case <-p.f.stopped:
			p.end(orchestrator.TurnCancelled, "stopped by you")
		case <-p.ctx.Done():
			p.err = context.Cause(p.ctx)
		}
	},
	"deaf": func(p *player) { // hears only what ends the agent
		p.text("m1", "working on it")
		<-p.f.ended
		p.end(orchestrator.TurnCancelled, "stopped by you")
	},
	"flood": func(p *player) {
		for i := range 100_000 {
			p.say(orchestrator.Event{Kind: orchestrator.EventText, MessageID: "m", Text: fmt.Sprintf("line %d\n", i)})
			select {
			case <-p.f.stopped:
				p.end(orchestrator.TurnCancelled, "stopped by you")
				return
			default:
			}
		}
		p.end(orchestrator.TurnCompleted, "")
	},
	"permission": func(p *player) {
		ask := orchestrator.Permission{
			ID: "q000000001",
			Tool: orchestrator.ToolCall{ID: "1", Kind: "execute", Title: "harmless \x1b[8mthing", Status: "pending",
				Input: json.RawMessage(`{"command":"rm -rf build\necho done","timeout":10}`)},
			Options: []orchestrator.PermissionOption{{ID: "o1", Kind: "allow_always"}, {ID: "o2", Kind: "allow_once"}, {ID: "o3", Kind: "reject_once"}},
		}
		p.text("m1", "I want to clean up.")
		if !p.f.requests[0].Attended {
			ask.Outcome, ask.By = "o3", "policy"
			p.say(orchestrator.Event{Kind: orchestrator.EventPermission, Permission: &ask})
			p.end(orchestrator.TurnCompleted, "")
			return
		}
		open := ask
		p.say(orchestrator.Event{Kind: orchestrator.EventPermission, Permission: &open})
		select {
		case <-p.f.answered:
			p.f.mu.Lock()
			ask.Outcome, ask.By = "o3", "person"
			if p.f.answers["q000000001"].Allow {
				ask.Outcome = "o2"
			}
			p.f.mu.Unlock()
			p.say(orchestrator.Event{Kind: orchestrator.EventPermission, Permission: &ask})
			p.end(orchestrator.TurnCompleted, "")
		case <-p.f.stopped:
			p.end(orchestrator.TurnCancelled, "stopped by you")
		case <-p.ctx.Done():
			p.err = context.Cause(p.ctx)
		}
	},
}

// fakeMain is the program with the fake in the place of the orchestrator, for
// scripts and for looking at a terminal.
func fakeMain() {
	f := newFake()
	f.pace, _ = time.ParseDuration(os.Getenv("FAKE_PACE"))
	e := newEnv()
	wire(e)
	e.svc, e.live = f, f
	os.Exit(e.run(os.Args))
}
