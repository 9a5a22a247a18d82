package pending

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
)

// hostile names the changes that must not be written, with the reason in
// words: some never, some unless their danger is allowed. It looks at the
// changes alone. The order is that of the changes.
func hostile(changes []orchestrator.Change, to setting, allow []orchestrator.Danger) ([]orchestrator.PathConflict, error) {
	var found []orchestrator.PathConflict
	below, sameFold := crowding(changes)
	for _, c := range changes {
		reason := cmp.Or(badName(c.Path), badMode(c), below[c.Path])
		var link string
		if reason == "" && c.New.Mode == orchestrator.ModeSymlink {
			t, err := to.target(c)
			if err != nil {
				return nil, fmt.Errorf("read target of symlink %s: %w", c.Path, err)
			}
			reason, link = badLink(c.Path, t)
		}
		if reason != "" {
			found = append(found, orchestrator.PathConflict{Path: c.Path, Reason: "refused: " + reason})
			continue
		}
		for _, d := range []danger{
			{orchestrator.DangerLink, link},
			{orchestrator.DangerHook, to.hook(c)},
			{orchestrator.DangerNames, oddName(c)},
			{orchestrator.DangerCase, sameFold[c.Path]},
		} {
			if d.reason != "" && !slices.Contains(allow, d.kind) {
				found = append(found, d.refusal(c.Path))
				break
			}
		}
	}
	return found, nil
}

// danger is a reason that the person can overrule.
type danger struct {
	kind   orchestrator.Danger
	reason string
}

func (d danger) refusal(p orchestrator.Path) orchestrator.PathConflict {
	return orchestrator.PathConflict{Path: p, Danger: d.kind, Reason: fmt.Sprintf("refused: %s (to take it all the same: --allow %s)", d.reason, d.kind)}
}

// Dangers implements [orchestrator.Pending].
func (e *Engine) Dangers(ctx context.Context, wt orchestrator.Worktree, changes []orchestrator.Change) ([]orchestrator.PathConflict, error) {
	return hostile(changes, e.setting(ctx, orchestrator.Checkout{GitDir: wt.CommonDir, CommonDir: wt.CommonDir}), nil)
}

// oddName says what in a new name could deceive who reads it.
func oddName(c orchestrator.Change) string {
	if c.Old.Exists() || !c.New.Exists() {
		return ""
	}
	for _, r := range string(c.Path) {
		switch {
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return "its name has control characters"
		case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return "its name has characters that change the direction of text"
		case r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff, r == 0x00ad, r >= 0xe0000 && r <= 0xe007f:
			return "its name has characters that cannot be seen"
		}
	}
	return ""
}

func badMode(c orchestrator.Change) string {
	switch {
	case c.Old.Mode == orchestrator.ModeGitlink || c.New.Mode == orchestrator.ModeGitlink:
		return repository
	case c.New.Exists() && !regular(c.New) && c.New.Mode != orchestrator.ModeSymlink:
		return fmt.Sprintf("its mode is %o, and git records only 100644, 100755 and 120000", uint32(c.New.Mode))
	}
	return ""
}

// badLink adds to the target's own dangers the file that git reads through a
// link where it should not.
func badLink(p orchestrator.Path, target string) (never, link string) {
	name := string(p[strings.LastIndexByte(string(p), '/')+1:])
	if foldKey(strings.TrimRight(name, " .")) == foldKey(".gitmodules") {
		return "it is a symlink in place of .gitmodules", ""
	}
	return badTarget(p, target)
}

// crowding finds the paths that cannot stand beside another path of the change:
// those below a file or symlink of the change, and new ones whose name differs
// from another's only by case.
func crowding(changes []orchestrator.Change) (below, sameFold map[orchestrator.Path]string) {
	below, sameFold = map[orchestrator.Path]string{}, map[orchestrator.Path]string{}
	files := map[orchestrator.Path]bool{}
	for _, c := range changes {
		files[c.Path] = c.New.Exists()
	}
	spelled := map[string]orchestrator.Path{} // folded path of a file or directory, as it was first spelled
	for _, c := range slices.SortedFunc(slices.Values(changes), oldFirst) {
		if !c.New.Exists() {
			continue
		}
		for end := range ends(c.Path) {
			part := c.Path[:end]
			if part != c.Path && files[part] {
				below[c.Path] = fmt.Sprintf("it lies below %s, which the change makes a file or a symlink", part)
				below[part] = "the change also writes below it"
			}
			key := foldKey(string(part))
			first, seen := spelled[key]
			if !seen {
				spelled[key] = part
				continue
			}
			if first != part && !c.Old.Exists() {
				sameFold[c.Path] = likeAnother(first)
			}
		}
	}
	return below, sameFold
}

func likeAnother(other orchestrator.Path) string {
	return fmt.Sprintf("its name differs from %s only by case", other)
}

// alike refuses new files whose name, or that of a directory that is made for
// them, differs only by case from one that the checkout has.
func alike(t *tree, moves []*move, allow []orchestrator.Danger) error {
	if slices.Contains(allow, orchestrator.DangerCase) {
		return nil
	}
	leaves := map[orchestrator.Path]bool{}
	for _, m := range moves {
		leaves[m.Path] = !m.After.Exists()
	}
	known := map[orchestrator.Path]map[string][]string{}
	for _, m := range moves {
		if m.refused != "" || m.Before.Exists() || !m.After.Exists() {
			continue
		}
		for end := range ends(m.Path) {
			part := m.Path[:end]
			other, err := t.alikeAt(part, known, leaves)
			if err != nil {
				return err
			}
			if other != "" {
				m.refused = danger{orchestrator.DangerCase, likeAnother(other)}.refusal(m.Path).Reason
				break
			}
		}
	}
	return nil
}

// alikeAt finds a name beside p that differs from it only by case.
func (t *tree) alikeAt(p orchestrator.Path, known map[orchestrator.Path]map[string][]string, leaves map[orchestrator.Path]bool) (orchestrator.Path, error) {
	parent, name := split(p)
	names, ok := known[parent]
	if !ok {
		names = map[string][]string{}
		known[parent] = names
		d, _, err := t.parent(p)
		if err != nil && !isNoDir(err) {
			return "", err
		}
		if err == nil {
			all, err := d.names()
			if err != nil {
				return "", err
			}
			for _, n := range all {
				key := foldKey(n)
				names[key] = append(names[key], n)
			}
		}
	}
	for _, other := range names[foldKey(name)] {
		at := orchestrator.Path(other)
		if parent != "" {
			at = parent + "/" + at
		}
		if other != name && !leaves[at] {
			return at, nil
		}
	}
	return "", nil
}

// oldFirst puts the paths that the baseline has before new ones, so that the
// new one of a colliding pair is the one to be refused.
func oldFirst(a, b orchestrator.Change) int {
	if a.Old.Exists() != b.Old.Exists() {
		if a.Old.Exists() {
			return -1
		}
		return 1
	}
	return strings.Compare(string(a.Path), string(b.Path))
}

// ends yields where each leading part of p ends, p itself last.
func ends(p orchestrator.Path) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range len(p) {
			if p[i] == '/' && !yield(i) {
				return
			}
		}
		yield(len(p))
	}
}
