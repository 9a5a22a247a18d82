package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"boo/orchestrator"
)

// drain leaves out the directories that make untracked files more than limit:
// the deepest that alone is enough, or else the fullest at the top and on.
func drain(untracked []orchestrator.Path, limit int) (kept []orchestrator.Path, skipped []orchestrator.SkippedPath) {
	kept = untracked
	for len(kept) > limit {
		dir, n := fullest(kept, len(kept)-limit)
		reason := fmt.Sprintf("holds %d untracked files (more than %d are left out; ignore the directory to be rid of this)", n, limit)
		if dir == "" {
			// The flood is made of files at the top: no directory to name.
			for _, p := range kept {
				skipped = append(skipped, orchestrator.SkippedPath{Path: p, Reason: fmt.Sprintf("one of %d untracked files at the top (more than %d are left out)", n, limit)})
			}
			return nil, skipped
		}
		skipped = append(skipped, orchestrator.SkippedPath{Path: dir, Reason: reason})
		kept = slices.DeleteFunc(slices.Clone(kept), func(p orchestrator.Path) bool { return p.Under(dir) })
	}
	return kept, skipped
}

// fullest returns the deepest directory below which at least enough of the
// paths lie, or, if there is none but the top, the fullest directory of the top.
func fullest(paths []orchestrator.Path, enough int) (dir orchestrator.Path, count int) {
	for {
		counts := map[orchestrator.Path]int{}
		for _, p := range paths {
			if rest := below(p, dir); rest != "" {
				if first, _, more := strings.Cut(rest, "/"); more {
					counts[join(dir, first)]++
				}
			}
		}
		var best orchestrator.Path
		for child, n := range counts {
			if n > counts[best] || n == counts[best] && child < best {
				best = child
			}
		}
		switch {
		case best == "" || dir != "" && counts[best] < enough:
			if dir == "" {
				count = len(paths)
			}
			return dir, count
		case counts[best] < enough:
			return best, counts[best]
		}
		dir, count = best, counts[best]
	}
}

// below returns what of p lies below dir, or "".
func below(p, dir orchestrator.Path) string {
	if dir == "" {
		return string(p)
	}
	rest, _ := strings.CutPrefix(string(p), string(dir)+"/")
	if len(rest) == len(p) {
		return ""
	}
	return rest
}

func join(dir orchestrator.Path, name string) orchestrator.Path {
	if dir == "" {
		return orchestrator.Path(name)
	}
	return dir + "/" + orchestrator.Path(name)
}

// readable looks at what stands at the paths that are to be read, and leaves
// out what must not be: anything but files and symlinks, and files over the
// limit. What is gone, behind a symlink or a directory now, is a removal.
func (e *Engine) readable(root string, s *scan) {
	slices.Sort(s.add)
	var kept []orchestrator.Path
	for _, p := range slices.Compact(s.add) {
		info, err := lstatBelow(root, string(p))
		why := ""
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.IsDir():
			s.set = append(s.set, indexed{path: p})
			continue
		case err != nil:
			why = "cannot be looked at: " + err.Error()
		case info.Mode().IsRegular() && info.Size() > e.opts.MaxFile:
			why = fmt.Sprintf("is %d MB large (the limit is %d MB: worktree.max_file)", info.Size()>>20, e.opts.MaxFile>>20)
		case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			why = "is neither a file nor a symlink"
		}
		if why == "" {
			kept = append(kept, p)
		} else {
			s.leaveOut(p, why)
		}
	}
	s.add = kept
}
