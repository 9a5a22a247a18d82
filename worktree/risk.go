package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"boo/orchestrator"
)

// Risks tells what of worktrees of one repository would be lost or disturbed if
// they went, as far as git and the files know, and when they were last used. Nothing is written but what boo
// remembers for itself. What cannot be found out is a RiskUnknown, never left
// out. settled says whose chat's lock the caller holds: only there the files
// are looked at, and their absence from the verdict is said elsewhere.
func (e *Engine) Risks(ctx context.Context, common orchestrator.GitDir, wts []orchestrator.Worktree, settled func(orchestrator.ChatID) bool) map[orchestrator.ChatID]orchestrator.TreeLook {
	found := make([]orchestrator.TreeLook, len(wts))
	there := make([]bool, len(wts))
	var next atomic.Int64
	var looking sync.WaitGroup
	for range riskLookers {
		looking.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(wts)); i = next.Add(1) - 1 {
				found[i], there[i] = e.risksOf(ctx, wts[i], settled(wts[i].Chat))
			}
		})
	}
	looking.Wait()
	all := map[orchestrator.ChatID]orchestrator.TreeLook{}
	var whole []orchestrator.Worktree
	for i, wt := range wts {
		if all[wt.Chat] = found[i]; there[i] {
			whole = append(whole, wt)
		}
	}
	for chat, risks := range e.commitRisks(ctx, common, whole) {
		look := all[chat]
		look.Risks = append(look.Risks, risks...)
		all[chat] = look
	}
	return all
}

// riskLookers is how many worktrees are looked at side by side: each waits for
// the disk, or for git, most of the time.
const riskLookers = 2

// risksOf are the risks of one worktree but those of its commits; there is false
// if it is not what it was.
func (e *Engine) risksOf(ctx context.Context, wt orchestrator.Worktree, settled bool) (look orchestrator.TreeLook, there bool) {
	if err := cmp.Or(e.Verify(ctx, wt), e.SameTree(wt)); err != nil {
		if why := e.Homeless(ctx, wt); why != "" {
			return orchestrator.TreeLook{Risks: []orchestrator.Risk{{Kind: orchestrator.RiskHomeless, Detail: why}}}, false
		}
		return orchestrator.TreeLook{Risks: []orchestrator.Risk{cannot("tell", err)}}, false
	}
	look.Risks = append(operationRisks(wt), lockRisk(wt)...)
	if !settled {
		look.Risks = append(look.Risks, orchestrator.Risk{Kind: orchestrator.RiskUnknown, Detail: "somebody works in it, so its files were not looked at"})
		return look, true
	}
	found, err := e.unrecorded(ctx, wt)
	if err != nil {
		look.Risks = append(look.Risks, cannot("compare its files with the newest snapshot", err))
		return look, true
	}
	look.Risks = append(look.Risks, e.fileRisks(ctx, wt, found)...)
	if byGit, err := gitUse(wt); err == nil && !found.used.IsZero() {
		look.Used = newer(found.used, byGit)
	}
	return look, true
}

// cannot is the risk that comes with what could not be found out.
func cannot(what string, err error) orchestrator.Risk {
	return orchestrator.Risk{Kind: orchestrator.RiskUnknown, Detail: fmt.Sprintf("cannot %s: %v", what, err)}
}

// operationRisks are what git keeps of things that are half done there, and the
// lock of a git that is at work.
func operationRisks(wt orchestrator.Worktree) (risks []orchestrator.Risk) {
	look := func(file, what string) {
		info, err := os.Lstat(adminOf(wt).file(file))
		switch {
		case err == nil:
			risks = append(risks, orchestrator.Risk{Kind: orchestrator.RiskOperation, Detail: what, Count: 1, Since: info.ModTime()})
		case !errors.Is(err, fs.ErrNotExist):
			risks = append(risks, cannot("see whether "+what, err))
		}
	}
	for _, op := range operations {
		look(op.file, "a "+op.what+" is half done")
	}
	look("sequencer", "a series of picks is half done")
	look("index.lock", "git is at work on its index")
	return risks
}

// lockRisk is there if somebody else has locked the worktree.
func lockRisk(wt orchestrator.Worktree) []orchestrator.Risk {
	reason, err := readSmall(adminOf(wt).file("locked"), 64<<10)
	switch text := strings.TrimSpace(string(reason)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil // unlocked by hand; nothing is lost by that
	case err != nil:
		return []orchestrator.Risk{cannot("read its lock", err)}
	case text != lockReason(wt.Chat):
		return []orchestrator.Risk{{Kind: orchestrator.RiskLocked, Detail: fmt.Sprintf("somebody has locked it: %q", text), Count: 1}}
	}
	return nil
}

// fileRisks are the files that the newest snapshot does not have as they are.
func (e *Engine) fileRisks(ctx context.Context, wt orchestrator.Worktree, found comparison) []orchestrator.Risk {
	snap, changes := found.snap, found.changes
	var risks []orchestrator.Risk
	if len(changes) > 0 {
		snap.Verified = true // of a tree that is dropped nothing can be asked, and the files are at risk as it is
	}
	if err := cmp.Or(e.noRepositories(ctx, wt, snap), e.noIgnoredRepositories(ctx, wt, found)); orchestrator.CodeOf(err) == orchestrator.CodeAtRisk {
		risks = append(risks, orchestrator.Risk{Kind: orchestrator.RiskUnrecorded, Count: 1, Detail: err.Error()})
	} else if err != nil {
		risks = append(risks, cannot("look for repositories in it", err))
	}
	if n := len(snap.Skipped); n > 0 {
		first := snap.Skipped[0]
		risks = append(risks, orchestrator.Risk{
			Kind: orchestrator.RiskUnrecorded, Count: n, Detail: fmt.Sprintf("%s cannot be recorded: %s (%s)", counted(n, "file"), first.Path, first.Reason),
		})
	}
	for _, kind := range []orchestrator.RiskKind{orchestrator.RiskDirty, orchestrator.RiskUntracked} {
		r := orchestrator.Risk{Kind: kind}
		var first string
		for _, c := range changes {
			if c.isNew != (kind == orchestrator.RiskUntracked) {
				continue
			}
			if r.Count++; first == "" {
				first = c.path
			}
			if info, err := os.Lstat(filepath.Join(string(wt.Dir), c.path)); err == nil && info.ModTime().After(r.Since) {
				r.Since = info.ModTime()
			}
		}
		if r.Count == 0 {
			continue
		}
		what := "edited file"
		if kind == orchestrator.RiskUntracked {
			what = "new file"
		}
		r.Detail = fmt.Sprintf("%s in no snapshot yet: %s", counted(r.Count, what), first)
		risks = append(risks, r)
	}
	return risks
}

// unrecordedFile is a file that the newest snapshot has not as it is.
type unrecordedFile struct {
	path  string
	isNew bool // it has none of that name
}

// comparison is what a worktree holds beside its newest snapshot.
type comparison struct {
	// snap is that snapshot, verified where all was found out in process, or what a
	// new one would be.
	snap    orchestrator.Snapshot
	changes []unrecordedFile
	ignored []orchestrator.Path // files and directories; only if snap is verified
	used    time.Time           // the newest time on its files and directories, zero if snap is not verified
}

// unrecorded compares a worktree with its newest snapshot. Objects that this takes
// are written aside, and dropped.
func (e *Engine) unrecorded(ctx context.Context, wt orchestrator.Worktree) (found comparison, err error) {
	prev, err := e.Newest(ctx, wt)
	if err != nil {
		return found, err
	}
	if found, ok := e.undisturbed(ctx, wt, prev); ok {
		return found, nil
	}
	if found, ok := e.compared(ctx, wt, prev); ok {
		return found, nil
	}
	objects, remove, err := e.tempDir("objects")
	if err != nil {
		return found, err
	}
	defer remove()
	found.snap, err = e.snapshot(ctx, wt, prev, objects)
	if err != nil || found.snap.Tree == prev.Tree {
		return found, err
	}
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return found, err
	}
	from := prev.Tree
	if from == "" {
		from = wt.Base
	}
	out, err := e.git.Run(ctx, r.aside(objects).call("diff-tree", "-r", "-z", "--name-status", "--no-renames", string(from), string(found.snap.Tree)))
	if err != nil {
		return found, err
	}
	fields := bytes.Split(out.Stdout, []byte{0})
	for ; len(fields) > 1; fields = fields[2:] {
		found.changes = append(found.changes, unrecordedFile{path: string(fields[1]), isNew: string(fields[0]) == "A"})
	}
	return found, nil
}

// newer returns the later of two times.
func newer(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
