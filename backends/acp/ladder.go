package acp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

const (
	// replayLate is how long the first message of a replay is waited for after
	// the agent said that the session is loaded: gemini replays afterwards.
	replayLate = 2 * time.Second
	// replayQuiet without a byte ends a replay; replayMost bounds the waiting.
	replayQuiet = 50 * time.Millisecond
	replayMost  = 5 * time.Second
)

// establish brings the session about by the ladder in the package comment,
// and sets its id and rung.
func (s *Session) establish(ctx context.Context, intro introduction, req orchestrator.SessionRequest) (sessionResult, error) {
	if req.NativeID != "" {
		result, ok, err := s.bringBack(ctx, intro, req)
		if err != nil || ok {
			return result, err
		}
	}
	raw, err := s.conn.call(ctx, methodNew, sdk.NewSessionRequest{Cwd: string(req.Dir), McpServers: []sdk.McpServer{}}, limits{total: newTime})
	if err != nil {
		return sessionResult{}, s.explain("open a session", intro.loginNeeded(err))
	}
	var result sessionResult
	if err := json.Unmarshal(raw, &result); err != nil || result.ID == "" {
		return result, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s opened a session without an id", s.def.Name)
	}
	s.host.adopt(s, result.ID)
	s.info.Rung = orchestrator.RungNew
	s.meter.begin(0)
	return result, nil
}

// bringBack resumes or loads the session, whichever is advertised. ok is false
// if the agent does not know it, or cannot; every other failure is an error.
func (s *Session) bringBack(ctx context.Context, intro introduction, req orchestrator.SessionRequest) (result sessionResult, ok bool, err error) {
	if err := s.recount(ctx, req); err != nil {
		return result, false, err
	}
	if intro.can.Session.Resume != nil {
		result, err = s.restore(ctx, methodResume, sdk.ResumeSessionRequest{
			SessionId: sdk.SessionId(req.NativeID), Cwd: string(req.Dir), McpServers: []sdk.McpServer{},
		}, req.NativeID)
		if err == nil {
			return result, true, nil
		}
		if !s.passes(err) {
			if s.missing(ctx, intro, err, req) {
				return result, false, nil
			}
			return result, false, s.explain("resume its session", intro.loginNeeded(err))
		}
	}
	if !intro.can.Load {
		return result, false, nil
	}
	if err := s.letPass(ctx, req); err != nil {
		return result, false, s.explain("load its session", err)
	}
	result, err = s.restore(ctx, methodLoad, sdk.LoadSessionRequest{
		SessionId: sdk.SessionId(req.NativeID), Cwd: string(req.Dir), McpServers: []sdk.McpServer{},
	}, req.NativeID)
	if err != nil {
		if s.passes(err) || s.missing(ctx, intro, err, req) {
			return result, false, nil
		}
		return result, false, s.explain("load its session", intro.loginNeeded(err))
	}
	return result, s.replayEnds(ctx, req.Had), nil
}

// recount prepares the meter for a session that has been charged for.
func (s *Session) recount(ctx context.Context, req orchestrator.SessionRequest) error {
	if s.def.Quirks.CostAnew || req.Charged == nil {
		s.meter.begin(0)
		return nil
	}
	charged, err := req.Charged(ctx)
	s.meter.begin(charged)
	return err
}

// restore sends session/resume or session/load. The answer may be null, and
// may name another id, which then counts.
func (s *Session) restore(ctx context.Context, method string, params any, id string) (sessionResult, error) {
	raw, err := s.conn.call(ctx, method, params, limits{stall: loadStall})
	if err != nil {
		return sessionResult{}, err
	}
	var result sessionResult
	_ = json.Unmarshal(raw, &result) // an answer that tells nothing is fine
	if result.ID != "" {
		id = result.ID
	}
	s.host.adopt(s, id)
	s.info.Rung = orchestrator.RungResumed
	return result, nil
}

// replayEnds waits for what trails after a load, and reports false if there
// should have been messages and there was none: the load has failed then,
// whatever the agent says.
func (s *Session) replayEnds(ctx context.Context, expected bool) bool {
	deadline := time.Now().Add(replayMost)
	late := time.Now().Add(replayLate)
	for time.Now().Before(deadline) {
		seen := s.conn.in.read.Load()
		select {
		case <-time.After(replayQuiet):
		case <-s.conn.ended:
			return true // the next step finds out and tells
		case <-ctx.Done():
			return true
		}
		quiet := s.conn.in.read.Load() == seen
		missing := expected && s.userMessages() == 0
		if quiet && (!missing || time.Now().After(late)) {
			break
		}
	}
	return !expected || s.userMessages() > 0
}

func (s *Session) userMessages() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users
}
