package orchestrator

import (
	"hash/maphash"
	"slices"
	"strings"
)

const (
	// maxOpenCalls bounds what is remembered of an agent that ends no call.
	maxOpenCalls = 1024
	// What a checkpoint holds of them, so that it costs the same at every step.
	maxStepCalls = 16
	maxCallText  = 300
)

// callBook keeps which tool calls of a turn have begun, and which of them have
// not ended.
type callBook struct {
	open  []OpenCall // in the order in which they began
	lost  int        // open ones that are not in the list any more
	ended []uint64   // the last ones that have
	begun int
}

// bookOf goes on from a checkpoint.
func bookOf(c Checkpoint) *callBook {
	return &callBook{open: slices.Clone(c.Open), lost: c.More}
}

// note takes in how a call stands. It reports whether the call is new, and
// whether it ends now.
func (b *callBook) note(call *ToolCall) (begins, ends bool) {
	id := cutText(call.ID)
	sum := maphash.String(loopSeed, id)
	at := slices.IndexFunc(b.open, func(o OpenCall) bool { return o.ID == id })
	if at < 0 && slices.Contains(b.ended, sum) {
		return false, false
	}
	if at < 0 {
		b.begun++
	}
	over := call.Status == "completed" || call.Status == "failed" && !call.Unsettled
	switch {
	case over:
		if at >= 0 {
			b.open = slices.Delete(b.open, at, at+1)
		}
		b.ended = remember(b.ended, sum)
	case at >= 0:
		b.open[at] = openCall(call)
	case len(b.open) < maxOpenCalls:
		b.open = append(b.open, openCall(call))
	default:
		b.lost++
	}
	return at < 0, over
}

// unfinished is what a checkpoint holds of the open calls: the newest ones, and
// the number of the others.
func (b *callBook) unfinished() (list []OpenCall, more int) {
	list = b.open[max(0, len(b.open)-maxStepCalls):]
	return slices.Clone(list), b.lost + len(b.open) - len(list)
}

func openCall(call *ToolCall) OpenCall {
	return OpenCall{ID: cutText(call.ID), Kind: cutText(call.Kind), Title: cutText(call.Title), Input: cutText(call.Input)}
}

// cutText keeps the beginning of a text, as UTF-8.
func cutText[T ~string | ~[]byte](text T) string {
	return strings.ToValidUTF8(string(text[:min(len(text), maxCallText)]), "")
}

// knows reports whether a call has been taken in.
func (b *callBook) knows(call *ToolCall) bool {
	id := cutText(call.ID)
	return slices.Contains(b.ended, maphash.String(loopSeed, id)) ||
		slices.ContainsFunc(b.open, func(o OpenCall) bool { return o.ID == id })
}
