package scriptedmodel

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Parse reads the script that is written in a prompt. It returns nil if there
// is no step in it.
func Parse(prompt string) Script {
	var script Script
	for _, part := range Split(prompt) {
		if step, ok := parseStep(part); ok {
			script = append(script, step)
		}
	}
	return script
}

// Split returns the parts of a prompt that may be steps: what stands between
// line ends and ";;", without the blocks of context.
func Split(prompt string) []string {
	var parts []string
	for line := range strings.SplitSeq(unfenced(prompt), "\n") {
		for part := range strings.SplitSeq(line, ";;") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

var fenceOpen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*<([A-Za-z][A-Za-z0-9_-]*)[ >]`)
})

// unfenced drops the blocks of context that agents put around a prompt.
func unfenced(text string) string {
	var kept []string
	closing := ""
	for line := range strings.SplitSeq(text, "\n") {
		if closing == "" {
			if m := fenceOpen().FindStringSubmatch(line); m != nil {
				closing = "</" + m[1] + ">"
			} else {
				kept = append(kept, line)
			}
		}
		if closing != "" && strings.HasSuffix(strings.TrimSpace(line), closing) {
			closing = ""
		}
	}
	return strings.Join(kept, "\n")
}

func parseStep(s string) (Step, bool) {
	verb, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	if parse, ok := grammar[verb]; ok {
		return parse(rest)
	}
	return Step{}, false
}

// grammar has the parser of what follows each verb.
var grammar = map[string]func(string) (Step, bool){
	"write":    parseWrite,
	"edit":     parseEdit,
	"run":      withText(Run),
	"say":      withText(Say),
	"think":    withText(Think),
	"remember": parseRemember,
	"plan":     parsePlan,
	"call":     parseCall,
	"stream":   parseStream,
	"flood":    parseFlood,
	"status":   parseStatus,
	"report":   alone(Report),
	"recall":   alone(Recall),
	"hang":     alone(Hang),
	"stall":    alone(Stall),
	"cut":      alone(Cut),
}

func withText(verb Verb) func(string) (Step, bool) {
	return func(rest string) (Step, bool) {
		text, _ := unquote(rest)
		return Step{Verb: verb, Text: text}, text != ""
	}
}

func alone(verb Verb) func(string) (Step, bool) {
	return func(rest string) (Step, bool) { return Step{Verb: verb}, rest == "" }
}

func parseWrite(rest string) (Step, bool) {
	file, content, ok := fileAnd(rest, "with")
	content, exact := unquote(content)
	if !exact {
		content += "\n"
	}
	return Step{Verb: Write, Path: file, Text: content}, ok
}

func parseEdit(rest string) (Step, bool) {
	file, change, ok := fileAnd(rest, "replace")
	before, after, found := cutWord(change, "by")
	if !ok || !found {
		return Step{}, false
	}
	before, _ = unquote(before)
	after, _ = unquote(after)
	return Step{Verb: Edit, Path: file, Old: before, Text: after}, true
}

func parseRemember(rest string) (Step, bool) {
	return Step{Verb: Remember, Text: rest}, rest != "" && !strings.Contains(rest, " ")
}

func parsePlan(rest string) (Step, bool) {
	var list []string
	for entry := range strings.SplitSeq(rest, "|") {
		list = append(list, strings.TrimSpace(entry))
	}
	return Step{Verb: Plan, List: list}, rest != ""
}

func parseCall(rest string) (Step, bool) {
	tool, args, ok := strings.Cut(rest, " ")
	return Step{Verb: Call, Text: tool, Args: json.RawMessage(args)}, ok && json.Valid([]byte(args))
}

func parseStream(rest string) (Step, bool) {
	amount, pace, paced := strings.Cut(rest, " every ")
	count, unit := number(amount)
	step := Step{Verb: Stream, Count: count, Every: 50 * time.Millisecond}
	if paced {
		every, err := time.ParseDuration(strings.TrimSpace(pace))
		if err != nil || every <= 0 {
			return Step{}, false
		}
		step.Every = every
	}
	return step, count > 0 && unit == "words"
}

func parseFlood(rest string) (Step, bool) {
	count, unit := number(rest)
	switch unit {
	case "chunks":
		return Step{Verb: Chunks, Count: count}, count > 0
	case "bytes":
		return Step{Verb: Bytes, Count: count}, count > 0
	}
	return Step{}, false
}

func parseStatus(rest string) (Step, bool) {
	status, text := number(rest)
	text, _ = unquote(text)
	return Step{Verb: Status, Count: status, Text: text}, status >= 400 && status < 600
}

// number reads the number at the beginning of s and returns what follows it;
// the number is 0 if there is none.
func number(s string) (int, string) {
	digits, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, s
	}
	return n, strings.TrimSpace(rest)
}
