package pending

import "boo/orchestrator"

// action says what becomes of one path.
type action int

const (
	take    action = iota // the snapshot's side is written
	already               // the checkout has it: nothing is written
	merge                 // both edited the file: its lines are merged
	refuse                // both changed it in ways that exclude each other
)

// verdict is the outcome of the three-way comparison of one path.
type verdict struct {
	action action
	mode   orchestrator.FileMode // of a merged file
	reason string                // why it is refused, in words
}

// repository says why a change of a gitlink is never made.
const repository = "it is a submodule or a nested repository, which boo does not write"

// judge compares the three sides of a path: the baseline, the person's file as
// it is now, and the snapshot.
func judge(base, mine, theirs orchestrator.Entry) verdict {
	switch {
	case base.Mode == orchestrator.ModeGitlink || theirs.Mode == orchestrator.ModeGitlink:
		return verdict{action: refuse, reason: repository}
	case mine == theirs:
		return verdict{action: already}
	case mine == base:
		return verdict{action: take}
	case !base.Exists():
		return verdict{action: refuse, reason: "a different file of yours is there already"}
	case !mine.Exists():
		return verdict{action: refuse, reason: "you deleted the file that the change edits"}
	case !theirs.Exists():
		return verdict{action: refuse, reason: "you edited the file that the change deletes"}
	case !regular(base) || !regular(mine) || !regular(theirs):
		return verdict{action: refuse, reason: "you and the change both changed it, and it is not a plain file on every side"}
	}
	return verdict{action: merge, mode: mergeMode(base.Mode, mine.Mode, theirs.Mode)}
}

// mergeMode takes the side that differs from the base. With two modes to choose
// from, sides that both differ agree.
func mergeMode(base, mine, theirs orchestrator.FileMode) orchestrator.FileMode {
	if mine == base {
		return theirs
	}
	return mine
}

func regular(e orchestrator.Entry) bool {
	return e.Mode == orchestrator.ModeRegular || e.Mode == orchestrator.ModeExec
}
