package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

// logWords are the words for what a log can be limited to.
var logWords = map[string][]orchestrator.EventKind{
	"prompts":     {orchestrator.EventPrompt},
	"text":        {orchestrator.EventText},
	"thoughts":    {orchestrator.EventThought},
	"tools":       {orchestrator.EventTool},
	"plans":       {orchestrator.EventPlan},
	"permissions": {orchestrator.EventPermission},
	"notices":     {orchestrator.EventNotice},
	"turns":       {orchestrator.EventTurn, orchestrator.EventSession, orchestrator.EventSummary},
	"other":       {orchestrator.EventUsage, orchestrator.EventMode, orchestrator.EventCommands, orchestrator.EventUnknown},
}

func logWordList() string {
	words := make([]string, 0, len(logWords))
	for word := range logWords {
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func filterFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "filter", Usage: "only `KINDS` of events: " + logWordList() + "; several with commas"}
}

// logFilter chooses events.
type logFilter struct {
	kinds []orchestrator.EventKind // none for all
	after orchestrator.Seq
	since time.Time // zero for all times
}

// parseFilter reads --filter and --since. since is the number of an event, a
// moment, or how long ago that was.
func parseFilter(words []string, since string, now time.Time) (logFilter, error) {
	var f logFilter
	for _, word := range words {
		kinds := kindsOf(strings.TrimSpace(word))
		if kinds == nil {
			return f, fmt.Errorf("--filter knows no %q, only %s", word, logWordList())
		}
		f.kinds = append(f.kinds, kinds...)
	}
	if since == "" {
		return f, nil
	}
	if seq, err := strconv.ParseInt(since, 10, 64); err == nil && seq >= 0 {
		f.after = orchestrator.Seq(seq)
		return f, nil
	}
	if ago, err := time.ParseDuration(since); err == nil && ago >= 0 {
		f.since = now.Add(-ago)
		return f, nil
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(form, since, now.Location()); err == nil {
			f.since = at
			return f, nil
		}
	}
	return f, fmt.Errorf("--since wants the number of an event, a time ago such as 2h, or a moment such as 2026-03-01, not %q", since)
}

// kindsOf finds what a word stands for, in the singular or the plural.
func kindsOf(word string) []orchestrator.EventKind {
	for _, form := range []string{word, word + "s", strings.TrimSuffix(word, "s")} {
		if kinds, ok := logWords[form]; ok {
			return kinds
		}
	}
	return nil
}

func (f logFilter) takes(ev orchestrator.Event) bool {
	return !ev.At.Before(f.since) && (len(f.kinds) == 0 || slices.Contains(f.kinds, ev.Kind))
}
