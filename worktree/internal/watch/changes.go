package watch

import (
	"maps"
	"slices"

	"boo/orchestrator"
)

// Loss says why a watcher does not know what was touched any more. It is for
// good: whoever wants to go on watching starts another one.
type Loss string

// The reasons.
const (
	NotLost      Loss = ""
	Overflow     Loss = "the kernel dropped events"
	LimitReached Loss = "a new directory could not be watched: too many watches"
	Unreadable   Loss = "a new directory could not be opened"
	RootGone     Loss = "the tree was moved, removed or unmounted"
	Flooded      Loss = "too many paths were touched"
)

// Changes is what was touched since the Drain before.
type Changes struct {
	// Files are paths that were written, created, removed or renamed, in order.
	// What is there now may be anything, or nothing.
	Files []orchestrator.Path
	// Trees are directories that came, went or changed their mode, in order:
	// whatever was known below one has to be compared. What is in one that came
	// is in Files too.
	Trees []orchestrator.Path

	// IgnoreRules: a .gitignore or .gitattributes was touched, so that paths
	// not named here may have changed their meaning.
	IgnoreRules bool
	// NestedGit: there is, or was since Start, another repository in the tree.
	NestedGit bool
	// Lost is not empty when the lists are not complete.
	Lost Loss
}

// maxTouched bounds what one Drain can hold: beyond it, a scan is the faster way.
const maxTouched = 200_000

// dirty gathers changes.
type dirty struct {
	files, trees map[orchestrator.Path]struct{}
	ignoreRules  bool
	nestedGit    bool
	skipped      bool // a directory that is left out came, went or changed its mode
	lost         Loss
}

func newDirty() dirty {
	return dirty{files: map[orchestrator.Path]struct{}{}, trees: map[orchestrator.Path]struct{}{}}
}

// quiet reports whether nothing was gathered, and all would have been.
func (d *dirty) quiet() bool {
	return len(d.files)+len(d.trees) == 0 && !d.ignoreRules && !d.nestedGit && !d.skipped && d.lost == NotLost
}

// take returns what was gathered and starts anew.
func (d *dirty) take() Changes {
	c := Changes{
		Files: slices.Sorted(maps.Keys(d.files)), Trees: slices.Sorted(maps.Keys(d.trees)),
		IgnoreRules: d.ignoreRules, NestedGit: d.nestedGit, Lost: d.lost,
	}
	nested, lost := d.nestedGit, d.lost
	*d = newDirty()
	d.nestedGit, d.lost = nested, lost
	return c
}
