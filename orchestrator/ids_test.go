package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestIDsSayTheirKindAndParseBack(t *testing.T) {
	chat := orchestrator.NewChatID()
	if got, err := orchestrator.ParseChatID(string(chat)); err != nil || got != chat {
		t.Errorf("ParseChatID(%q) = %q, %v", chat, got, err)
	}
	if _, err := orchestrator.ParseTurnID(string(chat)); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("a chat id was taken for a turn id: %v", err)
	}
}

func TestChatPrefixes(t *testing.T) {
	for s, want := range map[string]bool{
		"c": true, "C1A": true, "c123456789": true,
		"": false, "c1234567890": false, "t1": false, "ci": false, "c/../x": false, "c\x00": false,
	} {
		if _, err := orchestrator.ParseChatPrefix(s); (err == nil) != want {
			t.Errorf("ParseChatPrefix(%q) = %v, want accepted: %v", s, err, want)
		}
	}
}

func TestAgentNames(t *testing.T) {
	for s, want := range map[string]bool{
		"goose": true, "opencode-acp": true, "a.b_c9": true,
		"": false, "you": false, "-x": false, "Goose": false, "a b": false, "a/b": false, strings.Repeat("a", 41): false,
	} {
		if _, err := orchestrator.ParseAgentName(s); (err == nil) != want {
			t.Errorf("ParseAgentName(%q) = %v, want accepted: %v", s, err, want)
		}
	}
}

func TestObjectIDs(t *testing.T) {
	for s, want := range map[string]bool{
		strings.Repeat("a", 40): true, strings.Repeat("0", 64): true,
		strings.Repeat("A", 40): false, strings.Repeat("a", 41): false, "": false,
	} {
		if _, err := orchestrator.ParseObjectID(s); (err == nil) != want {
			t.Errorf("ParseObjectID(%q) = %v, want accepted: %v", s, err, want)
		}
	}
}
