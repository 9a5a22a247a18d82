package doctor

import (
	"context"
	"fmt"
)

// Level says how much a finding matters.
type Level string

// The levels. A note calls for nothing, and is no reason to say that something
// is wrong.
const (
	Fault   Level = "fault"   // something does not work, or work could be lost
	Warning Level = "warning" // something will not work well, or could go wrong
	Note    Level = "note"
)

// Finding is one thing that is not as it should be. Fields of its JSON form are
// added over time, never renamed or removed.
type Finding struct {
	Check   string `json:"check"` // what was looked at: "git", "store", "worktree", …
	Level   Level  `json:"level"`
	Subject string `json:"subject,omitempty"` // the chat, repository or directory
	What    string `json:"what"`
	Why     string `json:"why"`
	Try     string `json:"try,omitempty"` // the command that mends it
	Fix     string `json:"fix,omitempty"` // what Mend does; "" if there is no Mend
	Fixed   bool   `json:"fixed,omitempty"`
	Problem string `json:"problem,omitempty"` // why Mend could not

	mend func(ctx context.Context) error
}

// Mend does what Fix says, and notes in the finding what came of it.
func (f *Finding) Mend(ctx context.Context) {
	if f.mend == nil {
		return
	}
	if err := f.mend(ctx); err != nil {
		f.Problem = err.Error()
		return
	}
	f.Fixed = true
}

// Wrong reports whether a finding still calls for something to be done.
func (f Finding) Wrong() bool { return f.Level != Note && !f.Fixed }

// findings collects.
type findings []Finding

func (l *findings) add(f Finding) { *l = append(*l, f) }

// unseen notes that something could not be looked at.
func (l *findings) unseen(check, subject string, err error) {
	l.add(Finding{
		Check: check, Level: Warning, Subject: subject,
		What: fmt.Sprintf("could not be looked at: %v", err), Why: "what boo cannot find out counts as a risk",
	})
}
