package api_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/api"
)

var errEnough = errors.New("enough")

// place is a repository and a service to use it with.
type place struct {
	orchestrator.Service
	t    *testing.T
	repo string
}

// Whoever holds a service cannot tell which one it is: each of these runs with
// the engine itself, and with a client of a daemon.
func TestAClientIsAsGoodAsTheEngine(t *testing.T) {
	for _, spec := range []struct {
		name string
		run  func(*testing.T, place)
	}{
		{"a turn is taken, followed, shown and listed", takesTurns},
		{"what a turn did is reviewed, applied and taken back", applies},
		{"what a turn did is rejected", rejects},
		{"a turn is stopped", stops},
		{"a request for permission is listed and answered", permits},
		{"names that are not UTF-8 come through", namesInBytes},
		{"errors keep code, words and hint", fails},
	} {
		t.Run(spec.name+", with the engine", func(t *testing.T) {
			engine := newEngine(t, t.TempDir())
			defer func() { check(t, engine.Close()) }()
			spec.run(t, place{engine, t, newRepo(t)})
		})
		t.Run(spec.name+", with a client", func(t *testing.T) {
			engine := newEngine(t, t.TempDir())
			defer func() { check(t, engine.Close()) }()
			client := api.NewClient(serve(t, engine, api.Options{}))
			defer func() { check(t, client.Close()) }()
			spec.run(t, place{client, t, newRepo(t)})
		})
	}
}

func (p place) ref() orchestrator.ChatRef { return orchestrator.ChatRef{Dir: p.repo} }

func (p place) selector(args ...string) orchestrator.ChangeSelector {
	return orchestrator.ChangeSelector{Dir: p.repo, Args: args}
}

func (p place) send(prompt string) orchestrator.Sent {
	p.t.Helper()
	sent, err := p.Send(p.t.Context(), orchestrator.SendRequest{Ref: p.ref(), Prompt: prompt})
	check(p.t, err)
	return sent
}

// turn sends a prompt and hears its turn to the end.
func (p place) turn(prompt string) (orchestrator.Sent, []orchestrator.Event) {
	p.t.Helper()
	sent := p.send(prompt)
	var events []orchestrator.Event
	check(p.t, p.Follow(p.t.Context(), sent.Turn, 0, func(ev orchestrator.Event) error {
		events = append(events, ev)
		return nil
	}))
	if last := events[len(events)-1]; last.State != orchestrator.TurnCompleted {
		p.t.Fatalf("the turn ended as %s: %s", last.State, last.Text)
	}
	return sent, events
}

func takesTurns(t *testing.T, p place) {
	sent, events := p.turn("say hello")
	if !sent.NewChat || sent.Agent != "one" || len(sent.Ahead) != 0 {
		t.Errorf("sent %+v", sent)
	}
	detail, err := p.Chat(t.Context(), p.ref())
	check(t, err)
	if detail.ID != sent.Chat || detail.Chat.Repo == "" || detail.Repo.ID != detail.Chat.Repo || len(detail.TurnList) != 1 || len(detail.Sessions) != 1 {
		t.Errorf("the chat is %+v", detail)
	}
	chats, err := p.Chats(t.Context(), orchestrator.ChatsRequest{Dir: p.repo})
	check(t, err)
	if len(chats) != 1 || chats[0].Worktree.Dir != detail.Worktree.Dir || chats[0].Worktree.Dir == "" {
		t.Errorf("the chats are %+v", chats)
	}
	log, err := p.Log(t.Context(), p.ref(), 2, 3)
	check(t, err)
	if len(log) != 3 || log[0].Seq != 3 || log[0].Kind != events[2].Kind || !log[0].At.Equal(events[2].At) {
		t.Errorf("the log is %+v", log)
	}
	if settled, err := p.Recover(t.Context()); len(settled) > 0 || err != nil {
		t.Errorf("recovered %v, %v", settled, err)
	}
}

func applies(t *testing.T, p place) {
	p.turn(`edit story.txt replace "two" by "TWO"`)
	sets, err := p.Review(t.Context(), orchestrator.ReviewSelector{ChangeSelector: p.selector()})
	check(t, err)
	if len(sets) != 1 || !sets[0].Last || len(sets[0].Changes) != 1 {
		t.Fatalf("the sets are %+v", sets)
	}
	var patch bytes.Buffer
	check(t, p.WriteDiff(t.Context(), &patch, sets[0], sets[0].Changes, false))
	if !strings.Contains(patch.String(), "\n+TWO\n") {
		t.Errorf("the patch is %q", patch.String())
	}
	blamed, err := p.Blame(t.Context(), p.ref(), "story.txt")
	check(t, err)
	if len(blamed.Parts) != 3 || blamed.Parts[1].Agent != "one" || blamed.Parts[1].Lines[0] != "TWO" {
		t.Errorf("blamed %+v", blamed)
	}
	hunks, err := p.Hunks(t.Context(), p.selector())
	check(t, err)
	if len(hunks) != 1 || len(hunks[0].Hunks) != 1 || !slices.Equal(hunks[0].Hunks[0].Before, []string{"one\n"}) {
		t.Errorf("the hunks are %+v", hunks)
	}
	result, err := p.Apply(t.Context(), p.selector("story.txt"), orchestrator.ApplyOptions{})
	check(t, err)
	if result.State != orchestrator.ApplyApplied || p.read("story.txt") != "one\nTWO\nthree\n" {
		t.Errorf("applied %+v", result)
	}
	undone, err := p.Undo(t.Context(), p.repo, func() {})
	check(t, err)
	if undone.State != orchestrator.ApplyUndone || p.read("story.txt") != "one\ntwo\nthree\n" {
		t.Errorf("undone %+v", undone)
	}
	check(t, os.WriteFile(filepath.Join(p.repo, "story.txt"), []byte("one\nmine\nthree\n"), 0o644))
	result, err = p.Apply(t.Context(), p.selector(), orchestrator.ApplyOptions{})
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(result.Conflict) != 1 || result.Conflict[0].Path != "story.txt" {
		t.Errorf("with an edit in between: %+v, %v", result, err)
	}
}

func (p place) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.repo, name))
	check(p.t, err)
	return string(text)
}

func rejects(t *testing.T, p place) {
	p.turn(`write new.txt with text`)
	busy := p.send("hang")
	waited := false
	check(t, p.Follow(t.Context(), busy.Turn, 0, func(ev orchestrator.Event) error {
		if ev.State == orchestrator.TurnRunning {
			return errEnough
		}
		return nil
	}), errEnough)
	result, err := p.Reject(t.Context(), p.selector(), orchestrator.RejectOptions{Reason: "no", Waiting: func() {
		waited = true
		check(t, p.Stop(t.Context(), busy.Turn, false))
	}})
	check(t, err)
	if result.Kind != orchestrator.KindReject || len(result.Files) != 1 || !waited {
		t.Errorf("rejected %+v, waited: %v", result, waited)
	}
	changes, err := p.Changes(t.Context(), p.selector())
	if len(changes) != 0 || err != nil {
		t.Errorf("still pending: %+v, %v", changes, err)
	}
}

func stops(t *testing.T, p place) {
	sent := p.send("hang")
	var last orchestrator.Event
	check(t, p.Follow(t.Context(), sent.Turn, 0, func(ev orchestrator.Event) error {
		last = ev
		if ev.State == orchestrator.TurnRunning {
			return p.Stop(t.Context(), sent.Turn, false)
		}
		return nil
	}))
	if last.State != orchestrator.TurnCancelled {
		t.Errorf("the turn ended as %s", last.State)
	}
}

func namesInBytes(t *testing.T, p place) {
	p.turn("write odd.txt with text")
	detail, err := p.Chat(t.Context(), p.ref())
	check(t, err)
	check(t, os.WriteFile(filepath.Join(string(detail.Worktree.Dir), "caf\xe9"), []byte("\xff\xfe\n"), 0o644))
	p.turn("say done")
	changes, err := p.Changes(t.Context(), p.selector("caf\xe9"))
	check(t, err)
	if len(changes) != 1 || changes[0].Path != "caf\xe9" {
		t.Errorf("the changes are %+v", changes)
	}
	blamed, err := p.Blame(t.Context(), p.ref(), "caf\xe9")
	check(t, err)
	if len(blamed.Parts) != 1 || blamed.Parts[0].Lines[0] != "\xff\xfe" {
		t.Errorf("blamed %+v", blamed)
	}
}

func fails(t *testing.T, p place) {
	_, err := p.Chat(t.Context(), orchestrator.ChatRef{Dir: p.repo, Prefix: "czzz"})
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound || err.Error() != "no chat czzz" || orchestrator.HintOf(err) != "boo chat ls --all" {
		t.Errorf("an unknown chat: %v, hint %q", err, orchestrator.HintOf(err))
	}
	none := func(orchestrator.Event) error { return nil }
	if err := p.Follow(t.Context(), "t000000000", 0, none); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("an unknown turn: %v", err)
	}
	if err := p.FollowChat(t.Context(), "c000000000", 0, none); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("an unknown chat's events: %v", err)
	}
	if err := p.Answer(t.Context(), "q000000000", orchestrator.PermissionAnswer{Allow: true}); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a request that is not open: %v", err)
	}
	if _, err := p.Undo(t.Context(), p.repo, func() {}); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("nothing to undo: %v", err)
	}
}

func permits(t *testing.T, p place) {
	sent, err := p.Send(t.Context(), orchestrator.SendRequest{
		Ref: p.ref(), Prompt: "ask", Permissions: orchestrator.PermissionsAsk, Limits: orchestrator.Limits{Cost: 0.5, Tokens: 1 << 40},
	})
	check(t, err)
	check(t, p.Follow(t.Context(), sent.Turn, 0, func(ev orchestrator.Event) error {
		if ev.Permission == nil || ev.Permission.Outcome != "" {
			return nil
		}
		open, err := p.Permissions(t.Context(), p.ref(), false)
		check(t, err)
		if len(open) != 1 || open[0].ID != ev.Permission.ID || open[0].Chat != sent.Chat || open[0].Turn != sent.Turn ||
			open[0].Kind != "execute" || string(open[0].Tool.Input) != `{"command":"true"}` || len(open[0].Options) != 2 || open[0].Asked.IsZero() {
			t.Errorf("open: %+v", open)
		}
		check(t, p.Answer(t.Context(), ev.Permission.ID, orchestrator.PermissionAnswer{Allow: true, Always: true}))
		return nil
	}))
	if open, err := p.Permissions(t.Context(), p.ref(), true); len(open) > 0 || err != nil {
		t.Errorf("still open: %v, %v", open, err)
	}
}
