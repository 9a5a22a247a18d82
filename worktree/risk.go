package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
)

// Risks tells what of worktrees of one repository would be lost or disturbed if
// they went, as far as git and the files know. Nothing is written but what boo
// remembers for itself. What cannot be found out is a RiskUnknown, never left
// out. settled says whose chat's lock the caller holds: only there the files
// are looked at, and their absence from the verdict is said elsewhere.
func (e *Engine) Risks(ctx context.Context, common orchestrator.GitDir, wts []orchestrator.Worktree, settled func(orchestrator.ChatID) bool) map[orchestrator.ChatID][]orchestrator.Risk {
	all := map[orchestrator.ChatID][]orchestrator.Risk{}
	var there []orchestrator.Worktree
	for _, wt := range wts {
		if err := e.Verify(ctx, wt); err != nil {
			all[wt.Chat] = []orchestrator.Risk{cannot("tell", err)}
			continue
		}
		there = append(there, wt)
		all[wt.Chat] = append(operationRisks(wt), lockRisk(wt)...)
		if settled(wt.Chat) {
			all[wt.Chat] = append(all[wt.Chat], e.fileRisks(ctx, wt)...)
		} else {
			all[wt.Chat] = append(all[wt.Chat], orchestrator.Risk{Kind: orchestrator.RiskUnknown, Detail: "somebody works in it, so its files were not looked at"})
		}
	}
	for chat, risks := range e.commitRisks(ctx, common, there) {
		all[chat] = append(all[chat], risks...)
	}
	return all
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
func (e *Engine) fileRisks(ctx context.Context, wt orchestrator.Worktree) []orchestrator.Risk {
	snap, changes, err := e.unrecorded(ctx, wt)
	if err != nil {
		return []orchestrator.Risk{cannot("compare its files with the newest snapshot", err)}
	}
	var risks []orchestrator.Risk
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
			if (c.status == "A") != (kind == orchestrator.RiskUntracked) {
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

type unrecordedFile struct{ status, path string }

// unrecorded compares a worktree with its newest snapshot. The objects that
// this takes are written aside, and dropped.
func (e *Engine) unrecorded(ctx context.Context, wt orchestrator.Worktree) (orchestrator.Snapshot, []unrecordedFile, error) {
	objects, remove, err := e.tempDir("objects")
	if err != nil {
		return orchestrator.Snapshot{}, nil, err
	}
	defer remove()
	prev, err := e.Newest(ctx, wt)
	if err != nil {
		return orchestrator.Snapshot{}, nil, err
	}
	now, err := e.snapshot(ctx, wt, prev, objects)
	if err != nil || now.Tree == prev.Tree {
		return now, nil, err
	}
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return now, nil, err
	}
	from := prev.Tree
	if from == "" {
		from = wt.Base
	}
	out, err := e.git.Run(ctx, r.aside(objects).call("diff-tree", "-r", "-z", "--name-status", "--no-renames", string(from), string(now.Tree)))
	if err != nil {
		return now, nil, err
	}
	var files []unrecordedFile
	fields := bytes.Split(out.Stdout, []byte{0})
	for ; len(fields) > 1; fields = fields[2:] {
		files = append(files, unrecordedFile{string(fields[0]), string(fields[1])})
	}
	return now, files, nil
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
