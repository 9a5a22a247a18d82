package orchestrator

import "time"

// Apply is the journal record of one apply: with it an apply that was cut off
// is finished or taken back, and one that is in force is undone.
type Apply struct {
	ID          ApplyID
	Chat        ChatID
	Checkout    CheckoutDir
	GitDir      GitDir // of the checkout
	CommonDir   GitDir
	StageDir    string // holds the new files, and then the old ones, until the end
	State       ApplyState
	Steps       []ApplyStep
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
