package acp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

// maxPages bounds how far an agent's list of sessions is read.
const maxPages = 50

// missing reports whether an agent that failed to bring a session back for a
// reason of its own words does not know that session: its list of the
// directory's sessions, if it has one, decides.
func (s *Session) missing(ctx context.Context, intro introduction, cause error, req orchestrator.SessionRequest) bool {
	refusal, ok := errors.AsType[*rpcError](cause)
	if !ok || refusal.Code == codeAuthRequired || intro.can.Session.List == nil {
		return false
	}
	dir := string(req.Dir)
	var cursor *string
	for range maxPages {
		raw, err := s.conn.call(ctx, methodList, sdk.ListSessionsRequest{Cwd: &dir, Cursor: cursor}, limits{total: settingTime})
		if err != nil {
			return false
		}
		var page struct {
			Sessions []struct {
				ID string `json:"sessionId"`
			} `json:"sessions"`
			Next string `json:"nextCursor"`
		}
		if json.Unmarshal(raw, &page) != nil || page.Sessions == nil {
			return false
		}
		for _, listed := range page.Sessions {
			if listed.ID == req.NativeID {
				return false
			}
		}
		if page.Next == "" {
			return true
		}
		cursor = &page.Next
	}
	return false
}

// passes reports whether a failed rung leads to the next one: the agent does
// not know the session, or not the method it advertised.
func (s *Session) passes(err error) bool {
	refusal, ok := errors.AsType[*rpcError](err)
	if !ok {
		return false
	}
	return refusal.unknownSession() || refusal.Code == codeUnknownMethod || refusal.begins(s.def.Quirks.UnknownSession)
}

// begins reports whether the error's words are one of those.
func (e *rpcError) begins(openings []string) bool {
	return slices.ContainsFunc(openings, func(opening string) bool { return strings.HasPrefix(e.Error(), opening) })
}
