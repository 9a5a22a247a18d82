package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestANameOfAChatIsPlainAndNoID(t *testing.T) {
	for in, want := range map[string]orchestrator.ChatName{
		"review": "review", "Night-Shift_2.0": "night-shift_2.0", "7": "7", "c12": "c12", strings.Repeat("n", 40): orchestrator.ChatName(strings.Repeat("n", 40)),
	} {
		if got, err := orchestrator.ParseChatName(in); got != want || err != nil {
			t.Errorf("%q is the name %q, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", ".", "..", "-x", "_x", "a/b", "../../etc", "a b", "ä", "a\x00", "a\n", "%i", strings.Repeat("n", 41), string(orchestrator.NewChatID()),
	} {
		if got, err := orchestrator.ParseChatName(in); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
			t.Errorf("%q is the name %q, %v", in, got, err)
		}
	}
}
