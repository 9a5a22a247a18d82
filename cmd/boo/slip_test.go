package main

import (
	"strings"
	"testing"
)

func TestASlipOfTheKeyboardIsToldWhatWasMeant(t *testing.T) {
	for typed, hint := range map[string]string{
		"cht":         "boo chat --help",
		"chaat":       "boo chat --help",
		"pendnig":     "boo pending --help",
		"chat sned":   "boo chat send --help",
		"chat snd":    "boo chat send --help",
		"turn retri":  "boo turn retry --help",
		"chat nosuch": "boo chat --help",
		"nosuch":      "boo --help",
		"c":           "boo --help",
	} {
		e, _, stderr := testEnv(newFake())
		status := e.run(append([]string{"boo"}, strings.Fields(typed)...))
		if status != 2 || !strings.HasSuffix(stderr.String(), "try: "+hint+"\n") {
			t.Errorf("boo %s: status %d, %s", typed, status, stderr)
		}
	}
}
