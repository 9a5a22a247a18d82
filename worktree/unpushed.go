package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"boo/orchestrator"
)

// lonely is a commit that no branch has, here or at a remote.
type lonely struct {
	parents []orchestrator.ObjectID
	at      time.Time
}

// commitRisks are the commits that only the HEADs of worktrees hold, and the
// stashes that were made on them. All HEADs are asked about at once.
func (e *Engine) commitRisks(ctx context.Context, common orchestrator.GitDir, wts []orchestrator.Worktree) map[orchestrator.ChatID][]orchestrator.Risk {
	risks := map[orchestrator.ChatID][]orchestrator.Risk{}
	heads := map[orchestrator.ChatID]orchestrator.ObjectID{}
	for _, wt := range wts {
		head, err := readHead(string(adminOf(wt)))
		if err != nil {
			risks[wt.Chat] = append(risks[wt.Chat], cannot("tell where its HEAD is", err))
			continue
		}
		heads[wt.Chat] = head
	}
	if len(heads) == 0 {
		return risks
	}
	graph, err := e.lonelyCommits(ctx, common, heads, wts)
	stashes, stashErr := e.stashes(ctx, common, wts[0].Base)
	ahead := e.branchesAhead(ctx, common)
	for _, wt := range wts {
		head, ok := heads[wt.Chat]
		switch {
		case !ok:
			continue
		case err != nil:
			risks[wt.Chat] = append(risks[wt.Chat], cannot("tell which of its commits are on a branch", err))
			continue
		case stashErr != nil:
			risks[wt.Chat] = append(risks[wt.Chat], cannot("tell what was stashed in it", stashErr))
		}
		own := ownCommits(graph, head, wt.Base)
		risks[wt.Chat] = append(risks[wt.Chat], e.unpushedRisk(ctx, wt, head, own, ahead)...)
		risks[wt.Chat] = append(risks[wt.Chat], stashRisk(stashes, wt, head, own)...)
	}
	return risks
}

// lonelyCommits lists the commits that are reachable from heads, and from no
// branch.
func (e *Engine) lonelyCommits(ctx context.Context, common orchestrator.GitDir, heads map[orchestrator.ChatID]orchestrator.ObjectID, wts []orchestrator.Worktree) (map[orchestrator.ObjectID]lonely, error) {
	var ask strings.Builder
	for _, wt := range wts {
		// Where HEAD is at the base there is nothing to be found out.
		if head, ok := heads[wt.Chat]; ok && head != wt.Base {
			ask.WriteString(string(head) + "\n")
		}
	}
	graph := map[orchestrator.ObjectID]lonely{}
	if ask.Len() == 0 {
		return graph, nil
	}
	// What stands behind --not on the command line does not reach what is read.
	call := shared(common, "rev-list", "--stdin", "--no-commit-header", "--format=%H %ct %P", "--not", "--branches", "--remotes")
	call.Stdin = strings.NewReader(ask.String())
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out.Stdout)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			return nil, fmt.Errorf("git answers %q", line)
		}
		seconds, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git answers %q", line)
		}
		c := lonely{at: time.Unix(seconds, 0)}
		for _, p := range f[2:] {
			c.parents = append(c.parents, orchestrator.ObjectID(p))
		}
		graph[orchestrator.ObjectID(f[0])] = c
	}
	return graph, nil
}

// ownCommits are those of a graph that head reaches and the base does not.
func ownCommits(graph map[orchestrator.ObjectID]lonely, head, base orchestrator.ObjectID) map[orchestrator.ObjectID]lonely {
	own := reachable(graph, head)
	for id := range reachable(graph, base) {
		delete(own, id)
	}
	return own
}

func reachable(graph map[orchestrator.ObjectID]lonely, from orchestrator.ObjectID) map[orchestrator.ObjectID]lonely {
	found := map[orchestrator.ObjectID]lonely{}
	for next := []orchestrator.ObjectID{from}; len(next) > 0; {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		c, there := graph[id]
		if _, seen := found[id]; !there || seen {
			continue
		}
		found[id] = c
		next = append(next, c.parents...)
	}
	return found
}

// branchesAhead returns what tells whether any branch has commits that a base has
// not: where none has, nothing can have been merged since. Each base is asked
// about once.
func (e *Engine) branchesAhead(ctx context.Context, common orchestrator.GitDir) func(base orchestrator.ObjectID) bool {
	known := map[orchestrator.ObjectID]bool{}
	return func(base orchestrator.ObjectID) bool {
		if ahead, asked := known[base]; asked {
			return ahead
		}
		out, err := e.git.Run(ctx, shared(common, "rev-list", "-n", "1", "--branches", "--remotes", "--not", string(base)))
		known[base] = err != nil || len(out.Stdout) > 0
		return known[base]
	}
}

func (e *Engine) unpushedRisk(ctx context.Context, wt orchestrator.Worktree, head orchestrator.ObjectID, own map[orchestrator.ObjectID]lonely, ahead func(base orchestrator.ObjectID) bool) []orchestrator.Risk {
	if len(own) == 0 {
		return nil
	}
	if ahead(wt.Base) {
		// Should this fail the commits count as at risk, which they may be.
		if merged, err := e.mergedByContent(ctx, wt, head, own); err == nil && merged {
			return nil
		}
	}
	r := orchestrator.Risk{Kind: orchestrator.RiskUnpushed, Count: len(own), Detail: counted(len(own), "commit") + " on no branch, here or at a remote"}
	for _, c := range own {
		r.Since = newer(r.Since, c.at)
	}
	return []orchestrator.Risk{r}
}

// stash is one entry of the repository's stash, which all its worktrees share.
type stash struct {
	on     orchestrator.ObjectID // the commit that it was made on
	branch string                // that HEAD was on; "" for none, as in most worktrees of chats
	at     time.Time
}

// stashedOn reads which branch HEAD was on from what git notes beside a stash; ok is
// false where somebody has put it differently.
func stashedOn(note string) (branch string, ok bool) {
	_, rest, ok := strings.Cut(note, "n ") // "WIP on main: 1234567 subject", or "On main: message"
	if branch, _, ok = strings.Cut(rest, ": "); branch == "(no branch)" {
		branch = ""
	}
	return branch, ok
}

// stashes lists what was stashed.
func (e *Engine) stashes(ctx context.Context, common orchestrator.GitDir, like orchestrator.ObjectID) ([]stash, error) {
	log, err := readSmall(filepath.Join(string(common), "logs", "refs", "stash"), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	noted := map[orchestrator.ObjectID]stash{}
	var ask strings.Builder
	for line := range bytes.Lines(log) {
		before, note, _ := strings.Cut(strings.TrimSpace(string(line)), "\t")
		f := strings.Fields(before)
		branch, ok := stashedOn(note)
		if len(f) < 4 || !ok {
			continue
		}
		seconds, _ := strconv.ParseInt(f[len(f)-2], 10, 64) // only to be shown
		noted[orchestrator.ObjectID(f[1])] = stash{branch: branch, at: time.Unix(seconds, 0)}
		ask.WriteString(f[1] + "\n")
	}
	if len(noted) == 0 {
		return nil, nil
	}
	r, err := e.plain(common, like)
	if err != nil {
		return nil, err
	}
	call := r.call("rev-list", "--no-walk", "--parents", "--stdin")
	call.Stdin = strings.NewReader(ask.String())
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	var list []stash
	for line := range strings.Lines(string(out.Stdout)) {
		if f := strings.Fields(line); len(f) > 1 {
			s := noted[orchestrator.ObjectID(f[0])]
			s.on = orchestrator.ObjectID(f[1])
			list = append(list, s)
		}
	}
	return list, nil
}

// stashRisk is there if something was stashed on the branch that HEAD of that
// worktree is on, or on no branch and on a commit of that worktree.
func stashRisk(all []stash, wt orchestrator.Worktree, head orchestrator.ObjectID, own map[orchestrator.ObjectID]lonely) []orchestrator.Risk {
	at, _ := readSmall(adminOf(wt).file("HEAD"), 4<<10) // it was read before
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(at)), onBranch)
	of := slices.DeleteFunc(slices.Clone(all), func(s stash) bool {
		if s.branch != "" {
			return s.branch != branch
		}
		_, there := own[s.on]
		return !there && s.on != head && s.on != wt.Base
	})
	if len(of) == 0 {
		return nil
	}
	r := orchestrator.Risk{Kind: orchestrator.RiskStash, Count: len(of), Detail: "stashed on its commit " + of[0].on.Short() + "; see: git stash list"}
	for _, s := range of {
		r.Since = newer(r.Since, s.at)
	}
	return []orchestrator.Risk{r}
}
