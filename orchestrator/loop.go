package orchestrator

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
)

// LoopMode says what becomes of a turn whose agent goes in circles.
type LoopMode string

// The modes of the loop detector.
const (
	LoopHalt LoopMode = "halt" // warned first, then halted
	LoopWarn LoopMode = "warn"
	LoopOff  LoopMode = "off"
)

const (
	warnRepeats = 3 // the same call with the same result, one after the other
	haltRepeats = 5
	// Calls in a row that have all been made before with the same result, such
	// as two that take turns.
	warnStale = 8
	haltStale = 16
	// Lines of one message that are all the same.
	warnLines = 20
	haltLines = 60
	// A text that says less than so many letters and digits may well be said
	// often.
	minLetters = 20
	// What is remembered of a turn.
	loopWindow = 64
)

// finding is what the loop detector has to say; nothing if text is "".
type finding struct {
	text string
	halt bool
}

// loop finds agents that go in circles, by what they do and say in one turn. It
// keeps sums and counts only, so its memory does not grow with the turn.
type loop struct {
	mode LoopMode

	calls   streak   // the same call with the same result
	seen    []uint64 // the last calls with their results, the oldest first
	stale   int      // calls since one that was new
	message string   // id of the message that comes in
	speech  maphash.Hash
	letters int
	said    streak // the same message, with nothing new done in between
	line    strings.Builder
	lines   streak // the same line in a message
}

// streak counts how often the same thing came in a row.
type streak struct {
	sum   uint64
	count int
}

func (s *streak) add(sum uint64) int {
	if s.count > 0 && s.sum == sum {
		s.count++
	} else {
		s.sum, s.count = sum, 1
	}
	return s.count
}

// loopSeed makes the sums; they never leave the process.
var loopSeed = maphash.MakeSeed()

func (l *loop) off() bool { return l.mode != LoopHalt && l.mode != LoopWarn }

// call takes in a tool call that has ended.
func (l *loop) call(c *ToolCall) finding {
	if l.off() {
		return finding{}
	}
	found := l.endMessage()
	sum := callSum(c)
	n := l.calls.add(sum)
	if slices.Contains(l.seen, sum) {
		l.stale++
	} else {
		l.stale, l.said = 0, streak{}
	}
	l.seen = remember(l.seen, sum)
	switch {
	case n >= warnRepeats:
		return l.found(n, warnRepeats, haltRepeats, fmt.Sprintf("the same tool call had the same result %d times in a row", n))
	case l.stale >= warnStale:
		return l.found(l.stale, warnStale, haltStale, fmt.Sprintf("the last %d tool calls were all made before, with the same results", l.stale))
	}
	return found
}

func callSum(c *ToolCall) uint64 {
	var h maphash.Hash
	h.SetSeed(loopSeed)
	for _, part := range []string{c.Kind, string(c.Input), c.Status, c.Output} {
		_, _ = h.WriteString(part) // never fails
		_ = h.WriteByte(0)         // likewise
	}
	if len(c.Input) == 0 { // of some agents, the title is all that is known
		_, _ = h.WriteString(c.Title) // never fails
	}
	for _, d := range c.Diffs {
		_, _ = h.WriteString(d.Path) // never fails
	}
	return h.Sum64()
}

// text takes in a piece of a message.
func (l *loop) text(message, piece string) (found finding) {
	if l.off() {
		return found
	}
	if message != l.message {
		found = l.endMessage()
		l.message = message
	}
	for _, r := range piece {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if l.letters == 0 {
				l.speech.SetSeed(loopSeed)
			}
			l.letters++
			_, _ = l.speech.WriteString(string(unicode.ToLower(r))) // never fails
		}
		if f := l.letter(r); f.text != "" {
			found = f
		}
	}
	return found
}

// letter takes in a character of a line, and judges the line at its end.
func (l *loop) letter(r rune) finding {
	if r != '\n' {
		if l.line.Len() < 4096 {
			l.line.WriteRune(r)
		}
		return finding{}
	}
	text := l.line.String()
	l.line.Reset()
	if len(strings.Map(letterOrDigit, text)) < minLetters {
		return finding{}
	}
	n := l.lines.add(maphash.String(loopSeed, text))
	return l.found(n, warnLines, haltLines, fmt.Sprintf("it has written the same line %d times in a row", n))
}

func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// endMessage judges the message that came in until now.
func (l *loop) endMessage() finding {
	letters := l.letters
	if letters == 0 {
		return finding{}
	}
	sum := l.speech.Sum64()
	l.letters, l.lines = 0, streak{}
	l.speech.Reset()
	l.line.Reset()
	if letters < minLetters {
		return finding{}
	}
	n := l.said.add(sum)
	return l.found(n, warnRepeats, haltRepeats, fmt.Sprintf("it has said the same %d times, and done nothing new in between", n))
}

// found warns when the first threshold is reached, and halts at the second.
func (l *loop) found(n, warn, halt int, text string) finding {
	switch {
	case n >= halt && l.mode == LoopHalt:
		return finding{text: text, halt: true}
	case n == warn:
		return finding{text: text}
	}
	return finding{}
}

// remember keeps the last of many.
func remember(list []uint64, sum uint64) []uint64 {
	if len(list) == loopWindow {
		list = append(list[:0], list[1:]...)
	}
	return append(list, sum)
}
