package scriptedmodel

import (
	"encoding/json"
	"time"
)

// Verb says what a [Step] does; the package comment describes each.
type Verb string

// The verbs of the script language.
const (
	Write    Verb = "write"    // Path, Text
	Edit     Verb = "edit"     // Path, Old, Text
	Run      Verb = "run"      // Text
	Plan     Verb = "plan"     // List
	Call     Verb = "call"     // Text (the tool), Args
	Say      Verb = "say"      // Text
	Report   Verb = "report"   //
	Think    Verb = "think"    // Text
	Remember Verb = "remember" // Text
	Recall   Verb = "recall"   //
	Stream   Verb = "stream"   // Count, Every
	Chunks   Verb = "chunks"   // Count
	Bytes    Verb = "bytes"    // Count
	Hang     Verb = "hang"     //
	Stall    Verb = "stall"    //
	Cut      Verb = "cut"      //
	Status   Verb = "status"   // Count (the status), Text
)

// Step is one thing the model does. Which fields count depends on the verb.
type Step struct {
	Verb  Verb
	Path  string          // of a file, as the agent's tool takes it
	Text  string          // content, replacement, command, or what is said
	Old   string          // text to replace
	List  []string        // entries of a plan
	Args  json.RawMessage // of a tool call
	Count int
	Every time.Duration
}

// tool reports whether the step is played through a tool, and so ends the
// answer that it stands in.
func (s Step) tool() bool {
	switch s.Verb {
	case Write, Edit, Run, Plan, Call:
		return true
	}
	return false
}

// Script is what the model does in one turn.
type Script []Step

// Scenario gives the script for a prompt, in place of the one that is written
// in it. It returns nil for a prompt that it does not know. It is called by
// several goroutines.
type Scenario func(prompt string) Script

// part returns the steps of the answer after n tool results: up to and with
// the tool call that it ends in.
func (s Script) part(n int) Script {
	start := 0
	for i, step := range s {
		if !step.tool() {
			continue
		}
		if n == 0 {
			return s[start : i+1]
		}
		n--
		start = i + 1
	}
	if start == len(s) || n > 0 {
		return Script{{Verb: Say, Text: "Done."}}
	}
	return s[start:]
}
