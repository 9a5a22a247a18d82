package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// waitTime bounds every wait for what a program in the background is to do.
const waitTime = 60 * time.Second

// until waits for a file to hold a match of a pattern: until FILE PATTERN.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until FILE PATTERN")
	}
	pattern, err := regexp.Compile(`(?m)` + args[1])
	ts.Check(err)
	var content []byte
	if !within(waitTime, func() bool {
		content, _ = os.ReadFile(ts.MkAbs(args[0]))
		return pattern.Match(content)
	}) {
		ts.Fatalf("%s has not come to match %#q within %v; it holds:\n%s", args[0], args[1], waitTime, content)
	}
}

// match sets a variable to the first group of a pattern in what the last
// command printed: match NAME PATTERN.
func match(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: match NAME PATTERN")
	}
	pattern, err := regexp.Compile(`(?m)` + args[1])
	ts.Check(err)
	said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	found := pattern.FindStringSubmatch(said)
	if len(found) < 2 {
		ts.Fatalf("no match of %#q in:\n%s", args[1], said)
	}
	ts.Setenv(args[0], found[1])
}

// endTime is how long a process may outlive what ended its turn.
const endTime = 5 * time.Second

// ended requires that no process whose command line holds the text is alive
// five seconds from now at the latest: ended TEXT.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ended TEXT")
	}
	var alive []string
	if !within(endTime, func() bool {
		alive = commandLines(args[0])
		return len(alive) == 0
	}) {
		ts.Fatalf("still alive after %v: %q", endTime, alive)
	}
}

// gone requires that a process is not alive five seconds from now at the latest:
// gone PID. One that nobody has reaped yet is gone.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone PID")
	}
	if !within(endTime, func() bool {
		line, err := os.ReadFile("/proc/" + args[0] + "/cmdline")
		return err != nil || len(line) == 0
	}) {
		ts.Fatalf("process %s is still alive after %v", args[0], endTime)
	}
}

func commandLines(text string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var lines []string
	for _, file := range files {
		line, _ := os.ReadFile(file)
		if line = bytes.ReplaceAll(line, []byte{0}, []byte(" ")); bytes.Contains(line, []byte(text)) {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// within reports whether a condition came to hold in time.
func within(limit time.Duration, holds func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(limit)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			return holds()
		}
	}
	return true
}
