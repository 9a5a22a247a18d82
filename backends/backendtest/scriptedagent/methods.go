package scriptedagent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// methods has the handlers of requests. What they return as *rpcError is
// answered; another error ends the agent.
func (a *agent) methods() map[string]func(frame) error {
	return map[string]func(frame) error{
		"initialize":       a.initialize,
		"session/new":      a.newSession,
		"session/load":     a.load,
		"session/resume":   a.resume,
		"session/delete":   a.remove,
		"session/prompt":   a.prompt,
		"session/set_mode": func(f frame) error { return a.out.answer(f.ID, object{}) },
	}
}

func (a *agent) initialize(f frame) error {
	version := 1
	switch a.settings.initialize {
	case "never":
		return nil
	case "wrong":
		version = 99
	}
	sessions := object{"delete": object{}}
	if a.settings.resume {
		sessions["resume"] = object{}
	}
	return a.out.answer(f.ID, object{
		"protocolVersion": version,
		"agentCapabilities": object{
			"loadSession":         a.settings.load != "none",
			"promptCapabilities":  object{},
			"mcpCapabilities":     object{},
			"sessionCapabilities": sessions,
		},
		"agentInfo":   object{"name": "boo-agent", "title": "Scripted agent", "version": "1.0.0"},
		"authMethods": []any{},
	})
}

// place is what the requests for a session carry.
type place struct {
	Session string `json:"sessionId"`
	Cwd     string `json:"cwd"`
}

func readPlace(f frame) (place, error) {
	var p place
	if err := json.Unmarshal(f.Params, &p); err != nil {
		return p, &rpcError{Code: codeBadParams, Message: err.Error()}
	}
	info, err := os.Stat(p.Cwd)
	if !filepath.IsAbs(p.Cwd) || err != nil || !info.IsDir() {
		return p, &rpcError{Code: codeBadParams, Message: "cwd is not an absolute path of a directory"}
	}
	return p, nil
}

func modes() object {
	return object{
		"currentModeId":  "auto",
		"availableModes": []object{{"id": "auto", "name": "Auto"}, {"id": "ask", "name": "Ask"}},
	}
}

func (a *agent) newSession(f frame) error {
	p, err := readPlace(f)
	if err != nil {
		return err
	}
	s, err := store(a.settings.store).create(p.Cwd)
	if err != nil {
		return &rpcError{Code: codeInternal, Message: err.Error()}
	}
	a.sessions[s.id] = s
	return a.out.answer(f.ID, object{"sessionId": s.id, "modes": modes()})
}

func (a *agent) load(f frame) error {
	switch a.settings.load {
	case "none":
		return &rpcError{Code: codeUnknownMethod, Message: "Method not found: session/load"}
	case "broken":
		return &rpcError{Code: codeInternal, Message: "the session file is damaged"}
	}
	s, err := a.bringBack(f)
	if err != nil {
		return err
	}
	answer := func() error { return a.out.answer(f.ID, object{"modes": modes()}) }
	if a.settings.load == "lying" {
		return answer()
	}
	if a.settings.load == "late" {
		return errors.Join(answer(), a.replay(s))
	}
	return errors.Join(a.replay(s), answer())
}

func (a *agent) resume(f frame) error {
	if !a.settings.resume {
		return &rpcError{Code: codeUnknownMethod, Message: "Method not found: session/resume"}
	}
	if _, err := a.bringBack(f); err != nil {
		return err
	}
	return a.out.answer(f.ID, object{"modes": modes()})
}

func (a *agent) bringBack(f frame) (*session, error) {
	p, err := readPlace(f)
	if err != nil {
		return nil, err
	}
	if a.settings.load == "gone" {
		return nil, errUnknownSession
	}
	s, err := store(a.settings.store).open(p.Session, p.Cwd)
	if refusal, ok := errors.AsType[*rpcError](err); ok {
		return nil, refusal
	} else if err != nil {
		return nil, &rpcError{Code: codeInternal, Message: err.Error()}
	}
	if a.settings.load == "lying" {
		s.log = nil
	}
	a.sessions[s.id] = s
	return s, nil
}

func (a *agent) remove(f frame) error {
	var p place
	if err := json.Unmarshal(f.Params, &p); err != nil {
		return &rpcError{Code: codeBadParams, Message: err.Error()}
	}
	delete(a.sessions, p.Session)
	if err := store(a.settings.store).remove(p.Session); err != nil {
		return err
	}
	return a.out.answer(f.ID, object{})
}

// replay sends a session's messages as updates.
func (a *agent) replay(s *session) error {
	for _, message := range s.log {
		if err := a.out.update(s.id, chunk(message.Role+"_message_chunk", message.Text), true); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) prompt(f frame) error {
	var p struct {
		Session string `json:"sessionId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	}
	if err := json.Unmarshal(f.Params, &p); err != nil {
		return &rpcError{Code: codeBadParams, Message: err.Error()}
	}
	s, ok := a.sessions[p.Session]
	if !ok {
		return errUnknownSession
	}
	var text string
	for _, block := range p.Prompt {
		text += block.Text + "\n"
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.mu.Lock()
	_, busy := a.running[s.id]
	if !busy {
		a.running[s.id] = cancel
	}
	a.mu.Unlock()
	if busy {
		cancel()
		return &rpcError{Code: codeBadParams, Message: "session already has active run"}
	}
	t := &turn{agent: a, session: s, id: f.ID, stop: "end_turn"}
	a.turns.Go(func() {
		defer cancel()
		t.run(ctx, text)
	})
	return nil
}
