package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFlagsMayStandAnywhere(t *testing.T) {
	e, _, _ := testEnv(nil)
	for typed, want := range map[string]string{
		"boo":                                    "boo",
		"boo version":                            "boo version",
		"boo -C dir chat ls":                     "boo -C dir chat ls",
		"boo chat send hello --agent a":          "boo chat send --agent a -- hello",
		"boo chat send -c x hello --new world":   "boo chat send -c x --new -- hello world",
		"boo chat send --agent=a hello":          "boo chat send --agent=a -- hello",
		"boo chat send - --json":                 "boo chat send --json -- -",
		"boo chat send -- --agent is a flag":     "boo chat send -- --agent is a flag",
		"boo chat send fix -- --agent":           "boo chat send -- fix --agent",
		"boo pending diff a --stat b":            "boo pending diff --stat -- a b",
		"boo chat nonsense --json":               "boo chat nonsense --json",
		"boo chat send hello --bogus":            "boo chat send --bogus -- hello",
		"boo pending apply a --chat":             "boo pending apply --chat",
		"boo --json chat log -n 5 c1 --no-color": "boo --json chat log -n 5 --no-color -- c1",
	} {
		if got := permute(newApp(e), strings.Fields(typed)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s\n got %s\nwant %s", typed, strings.Join(got, " "), want)
		}
	}
}
