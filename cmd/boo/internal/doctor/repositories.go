package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"boo/orchestrator"
)

// repositories compares the rows of each repository with what is there.
func repositories(ctx context.Context, p Patient, l *findings) {
	chats, err := p.Rows.Chats(ctx, orchestrator.ChatQuery{})
	if err != nil {
		l.unseen("store", "", err)
		return
	}
	var order []orchestrator.GitDir
	of := map[orchestrator.GitDir][]orchestrator.ChatSummary{}
	for _, c := range chats {
		common := c.Worktree.CommonDir
		if of[common] == nil {
			order = append(order, common)
		}
		of[common] = append(of[common], c)
	}
	for _, common := range order {
		repository(ctx, p, l, common, of[common])
	}
}

func repository(ctx context.Context, p Patient, l *findings, common orchestrator.GitDir, chats []orchestrator.ChatSummary) {
	root := string(chats[0].RepoRoot)
	chats = slices.DeleteFunc(chats, func(c orchestrator.ChatSummary) bool { return abandoned(ctx, p, l, c) })
	if len(chats) == 0 {
		return
	}
	if _, err := os.Stat(filepath.Join(string(common), "objects")); errors.Is(err, fs.ErrNotExist) {
		l.add(Finding{
			Check: "repository", Level: Fault, Subject: root,
			What: fmt.Sprintf("it was moved or deleted; %d of its chats are on record", len(chats)),
			Why:  "their worktrees belong to it, and their snapshots are in it",
			Try:  "cd WHERE-IT-IS-NOW && boo worktree repair; if it is gone for good, boo chat rm --force each, which leaves their files",
		})
		return
	}
	remotes, err := p.Trees.Mirrors(ctx, common)
	if err != nil {
		l.unseen("repository", root, err)
	}
	for _, remote := range remotes {
		l.add(Finding{
			Check: "mirror", Level: Warning, Subject: root, What: fmt.Sprintf("a push to %s takes every ref, refs/boo/ too", remote),
			Why: "whoever reads there then has what agents wrote and you have not taken",
			Try: fmt.Sprintf("git -C %s config remote.%s.mirror false", shell(root), shell(remote)),
		})
	}
	unfinished(p, l, root, common, chats)
	held, err := p.Trees.Chats(ctx, common)
	if err != nil {
		l.unseen("repository", root, err)
		return
	}
	registered, err := p.Registered(common)
	if err != nil {
		l.unseen("repository", root, err)
	}
	housed := slices.DeleteFunc(slices.Clone(chats), func(c orchestrator.ChatSummary) bool {
		return !slices.Contains(held, c.ID) && homeless(ctx, p, l, c) // which may ask git
	})
	for _, c := range housed {
		chat(ctx, p, l, c, slices.Contains(held, c.ID))
	}
	headless(ctx, p, l, common, housed)
	recorded, err := onRecord(ctx, p, chats)
	if err != nil {
		return // strangers says so
	}
	maps.DeleteFunc(registered, func(id orchestrator.ChatID, _ string) bool { return recorded[id] })
	held = slices.DeleteFunc(held, func(id orchestrator.ChatID) bool { return recorded[id] })
	unregistered(p, l, root, registered)
	unrecorded(l, root, held)
}

// unfinished tells of worktrees that git was killed over while it made them, which
// shows in the lock that it leaves; the lock of a chat's can be set right.
func unfinished(p Patient, l *findings, root string, common orchestrator.GitDir, chats []orchestrator.ChatSummary) {
	half, err := p.Trees.HalfMade(common)
	if err != nil {
		l.unseen("repository", root, err)
	}
	for _, c := range chats {
		if _, ok := half[string(c.ID)]; !ok {
			continue
		}
		delete(half, string(c.ID))
		l.add(Finding{
			Check: "registration", Level: Warning, Subject: string(c.ID), What: "git takes its worktree for half made",
			Why: "its lock does not say any more whose it is", Try: "boo worktree repair " + string(c.ID),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(half)) {
		l.add(Finding{
			Check: "registration", Level: Note, Subject: root,
			What: fmt.Sprintf("git worktree add is at work on %s, or died over it", half[name]),
			Why:  "if it died, files are missing there, and neither git worktree prune nor remove takes it; it is yours, and no chat's",
			Try:  fmt.Sprintf("git -C %s worktree remove --force --force %s, unless git is still at it", shell(root), shell(half[name])),
		})
	}
}

// onRecord has the chats and the spares: both have refs and a registration.
func onRecord(ctx context.Context, p Patient, chats []orchestrator.ChatSummary) (map[orchestrator.ChatID]bool, error) {
	spares, err := p.Rows.Spares(ctx)
	known := map[orchestrator.ChatID]bool{}
	for _, c := range chats {
		known[c.ID] = true
	}
	for _, s := range spares {
		known[s.Chat] = true
	}
	return known, err
}

// abandoned tells of the files of a chat that was removed though its repository was
// gone: nobody else speaks of them any more.
func abandoned(ctx context.Context, p Patient, l *findings, c orchestrator.ChatSummary) bool {
	wt := c.Worktree
	if c.State != orchestrator.ChatArchived || wt.State != orchestrator.WorktreeLost || p.Trees.Homeless(ctx, wt) == "" {
		return false
	}
	if _, err := os.Lstat(string(wt.Dir)); err == nil {
		l.add(Finding{
			Check: "worktree", Level: Note, Subject: string(c.ID), What: "it was removed, but its files stay in " + string(wt.Dir),
			Why: "its repository was gone, so nothing of them could be archived", Try: fmt.Sprintf("rm -rf %s, once you need none of them", shell(string(wt.Dir))),
		})
	}
	return true
}

// homeless tells of a chat in whose repository's place another one stands.
func homeless(ctx context.Context, p Patient, l *findings, c orchestrator.ChatSummary) bool {
	if c.Worktree.State == orchestrator.WorktreePurged || c.Worktree.State == orchestrator.WorktreeCreating {
		return false
	}
	why := p.Trees.Homeless(ctx, c.Worktree)
	if why != "" {
		l.add(Finding{
			Check: "repository", Level: Fault, Subject: string(c.ID), What: why, Why: "its snapshots were in the one that was there",
			Try: fmt.Sprintf("boo worktree repair, in that one, wherever it is now; if it is gone for good, boo chat rm --force %s, which leaves its files", c.ID),
		})
	}
	return why != ""
}

// chat compares the row of a worktree with what stands in its place.
func chat(ctx context.Context, p Patient, l *findings, c orchestrator.ChatSummary, held bool) {
	wt := c.Worktree
	id := string(c.ID)
	if wt.State == orchestrator.WorktreePurged || wt.State == orchestrator.WorktreeCreating {
		return
	}
	if !held {
		l.add(Finding{
			Check: "refs", Level: Fault, Subject: id, What: "its refs are gone from " + string(c.RepoRoot),
			Why: "nothing keeps its base and its snapshots from git's garbage collection",
			Try: fmt.Sprintf("git -C %s update-ref refs/boo/chats/%s/base %s", shell(string(c.RepoRoot)), id, wt.Base),
		})
	}
	_, there := os.Lstat(string(wt.Dir))
	switch {
	case wt.State == orchestrator.WorktreeArchived && there == nil:
		l.add(Finding{
			Check: "worktree", Level: Warning, Subject: id, What: "it is archived, but something stands at " + string(wt.Dir),
			Why: "it cannot be brought back while that is there", Try: "ls -A " + shell(string(wt.Dir)),
		})
	case wt.State == orchestrator.WorktreeClosing:
		l.add(Finding{
			Check: "worktree", Level: Warning, Subject: id, What: "its archiving was cut off, or is under way", Why: "it is neither there nor archived",
			Fix: "finish it, or take it back, as the next command of boo does", mend: p.Settle,
		})
	case wt.State == orchestrator.WorktreeActive || wt.State == orchestrator.WorktreeLost:
		err := p.Trees.Verify(ctx, wt)
		if err == nil && wt.State == orchestrator.WorktreeActive {
			return
		}
		what := wt.Reason
		if err != nil {
			what = err.Error()
		}
		l.add(Finding{
			Check: "worktree", Level: Fault, Subject: id, What: what, Why: "the next turn has to mend it before anything else",
			Try: "boo worktree repair " + id,
			Fix: "bring it back to its place, with the files of its newest snapshot where they are gone",
			mend: func(ctx context.Context) error {
				return p.Repair(ctx, c.ID)
			},
		})
	}
}

// headless compares the newest snapshot that is on record of each chat with the ref
// that holds it.
func headless(ctx context.Context, p Patient, l *findings, common orchestrator.GitDir, chats []orchestrator.ChatSummary) {
	heads, err := p.Trees.Heads(ctx, common)
	if err != nil {
		l.unseen("refs", string(common), err)
		return
	}
	for _, c := range chats {
		if _, there := heads[c.ID]; there || c.Worktree.State == orchestrator.WorktreePurged {
			continue
		}
		last, err := p.Rows.LastTurn(ctx, orchestrator.TurnQuery{Chat: c.ID, Begun: true})
		if err != nil {
			if orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
				l.unseen("refs", string(c.ID), err)
			}
			continue
		}
		l.add(Finding{
			Check: "refs", Level: Fault, Subject: string(c.ID), What: "the ref of its snapshots is gone from " + string(c.RepoRoot),
			Why: "git's garbage collection removes what agents wrote, and the next turn would begin without it",
			Fix: "put it back at the newest snapshot on record",
			mend: func(ctx context.Context) error {
				return p.Trees.PutHead(ctx, c.Worktree, cmp.Or(last.After, last.Before))
			},
		})
	}
}

// unregistered tells of registrations that belong to no row. Those that lead to
// another boo's directory are another boo's.
func unregistered(p Patient, l *findings, root string, registered map[orchestrator.ChatID]string) {
	for _, id := range slices.Sorted(maps.Keys(registered)) {
		if rel, err := filepath.Rel(p.Worktrees, registered[id]); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		l.add(Finding{
			Check: "registration", Level: Warning, Subject: root, What: fmt.Sprintf("git knows a worktree %s of boo's, of which nothing is on record", id),
			Why: "git worktree list shows it, and git keeps what it holds", Try: "boo reaper run",
		})
	}
}

// unrecorded tells of chats of which there are refs, and nothing else: nobody can
// tell whether another boo, with a store of its own, has them on record.
func unrecorded(l *findings, root string, held []orchestrator.ChatID) {
	if len(held) == 0 {
		return
	}
	names := fmt.Sprint(held[0])
	if len(held) > 1 {
		names += fmt.Sprintf(" and %d more", len(held)-1)
	}
	refs := fmt.Sprintf("refs/boo/chats/%s", held[0])
	l.add(Finding{
		Check: "refs", Level: Note, Subject: root,
		What: fmt.Sprintf("it holds snapshots of chats that are not on record: %s; another boo's, or of a store that was lost", names),
		Why:  "they keep what agents wrote, and take its room; boo removes nothing of which it has no record",
		Try:  fmt.Sprintf("git -C %s for-each-ref %s; to go on from it: boo chat send --new --base %s/head", shell(root), refs, refs),
	})
}

// strangers looks for directories among the worktrees that are nobody's.
func strangers(ctx context.Context, p Patient, l *findings) {
	owned := map[string]bool{}
	chats, err := p.Rows.Chats(ctx, orchestrator.ChatQuery{})
	if err != nil {
		return // repositories has said so
	}
	for _, c := range chats {
		owned[string(c.Worktree.Dir)] = true
	}
	spares, err := p.Rows.Spares(ctx)
	if err != nil {
		l.unseen("store", "", err)
		return
	}
	for _, s := range spares {
		owned[filepath.Join(p.Worktrees, string(s.Repo), string(s.Chat))] = true
	}
	found, _ := filepath.Glob(filepath.Join(glob.Replace(p.Worktrees), "r*", "*"))
	for _, dir := range found {
		if !owned[dir] {
			l.add(Finding{
				Check: "directory", Level: Warning, Subject: dir, What: "it stands among the worktrees, and is no chat's",
				Why: "it takes room, and nothing keeps what is in it", Try: "boo reaper run; what it keeps is for you to look at: ls -A " + shell(dir),
			})
		}
	}
}
