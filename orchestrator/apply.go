package orchestrator

import "time"

// Apply is the journal record of one apply or reject: with it one that was cut
// off is finished or taken back, and one that is in force is undone.
type Apply struct {
	ID          ApplyID
	Kind        ApplyKind // "" stands for KindApply
	Chat        ChatID
	Origin      CheckoutDir // where it was asked for; "" stands for Checkout
	Checkout    CheckoutDir
	GitDir      GitDir // of the checkout
	CommonDir   GitDir
	StageDir    string // holds the new files, and then the old ones, until the end
	State       ApplyState
	Steps       []ApplyStep
	Landing     Landing
	OldBaseline ObjectID
	NewBaseline ObjectID
	Undoing     bool // the files on their way are those of the undo
	CreatedAt   time.Time
}

// ApplyStep is one path of an apply.
type ApplyStep struct {
	Path   Path     `json:"path"`
	Change ChangeID `json:"change"`
	Base   Entry    `json:"base"`   // at the baseline
	Before Entry    `json:"before"` // the person's, when the apply began
	After  Entry    `json:"after"`  // what the apply leaves
	Agent  Entry    `json:"agent"`  // in the snapshot

	// BeforeRaw and AfterRaw name the bytes of the file itself, which git's
	// end-of-line and encoding rules may make another object of; "" where
	// there is no file. Dirs are the directories that were not there and that
	// the file needs, the outermost first.
	BeforeRaw ObjectID `json:"before_raw,omitempty"`
	AfterRaw  ObjectID `json:"after_raw,omitempty"`
	Dirs      []Path   `json:"dirs,omitempty"`
}

// ApplyKind says in which direction changes went.
type ApplyKind string

// The kinds. An apply writes changes into a checkout of the person's; a reject
// takes them out of the chat's worktree.
const (
	KindApply  ApplyKind = "apply"
	KindReject ApplyKind = "reject"
)

// Landing is what an apply does beside the files: entries of the checkout's
// index, and a ref. The zero Landing does nothing.
type Landing struct {
	Index []IndexStep `json:"index,omitempty"`
	// Ref goes from Old to New, each "" for not there.
	Ref string   `json:"ref,omitempty"`
	Old ObjectID `json:"old,omitempty"`
	New ObjectID `json:"new,omitempty"`
	// Elsewhere is set when the change went to the ref alone: the checkout has
	// not been touched.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// IndexStep is one entry of the person's index.
type IndexStep struct {
	Path   Path  `json:"path"`
	Before Entry `json:"before"`
	After  Entry `json:"after"`
}

// Reversed is the landing that takes this one back.
func (l Landing) Reversed() Landing {
	back := Landing{Ref: l.Ref, Old: l.New, New: l.Old, Elsewhere: l.Elsewhere}
	for _, s := range l.Index {
		back.Index = append(back.Index, IndexStep{Path: s.Path, Before: s.After, After: s.Before})
	}
	return back
}

// ApplyOptions say how changes are applied. The zero value applies them whole,
// as edits that are neither staged nor committed.
type ApplyOptions struct {
	// Check works everything out and writes nothing.
	Check bool
	// Markers writes both sides of lines that collide, between git's conflict
	// markers, instead of refusing.
	Markers bool
	// Allow lists the dangers that the person takes on.
	Allow []Danger
	// At most one of the three: Index stages the changes too; Commit, a
	// message, commits them alone; Branch, a name, puts them on a new branch at
	// HEAD, and leaves the checkout as it is.
	Index  bool
	Commit string
	Branch string
	// Agent limits them to the hunks that are wholly this agent's.
	Agent AgentName
	// Hunks limits changes to some of their hunks, by their numbers in
	// [ChangeHunks]. A change that is not in it is taken whole.
	Hunks map[ChangeID][]int
	// Checks say what the changes have to pass first.
	Checks CheckOptions
}

// Danger names a kind of change that is refused unless it is allowed by name.
type Danger string

// The dangers that can be allowed.
const (
	DangerHook  Danger = "hooks" // a newly executable file in a directory of hooks
	DangerLink  Danger = "links" // a symlink that leads out of the repository
	DangerNames Danger = "names" // control or bidirectional characters in a name
	DangerCase  Danger = "case"  // names that differ only by case
)

// Dangers lists all of them.
func Dangers() []Danger { return []Danger{DangerHook, DangerLink, DangerNames, DangerCase} }

// RejectOptions say how changes are rejected.
type RejectOptions struct {
	Reason string // told to the agents that made the changes; may be ""
	Agent  AgentName
	Hunks  map[ChangeID][]int
	// Waiting is called once if a turn runs, whose end is then waited for.
	Waiting func()
}

// Note is something that an agent is to be told at its next turn in a chat.
type Note struct {
	ID    int64
	Chat  ChatID
	Agent AgentName
	Text  string
}

// ChangeHunks is a change cut into the pieces that can be taken one by one.
type ChangeHunks struct {
	Change Change
	Hunks  []Hunk // one that stands for all where the change cannot be cut
}

// Hunk is one piece of a change. Its lines carry their line ends.
type Hunk struct {
	OldLine int `json:"old_line"` // of the first line, from 1
	NewLine int `json:"new_line"`
	// Before and After are lines around it, up to three.
	Before  []string    `json:"-"`
	Removed []string    `json:"removed"`
	Added   []string    `json:"added"`
	After   []string    `json:"-"`
	Agents  []AgentName `json:"agents"` // who made it; you among them
	Whole   bool        `json:"whole,omitempty"`
}
