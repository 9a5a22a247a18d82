package orchestrator

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// Check judges changes; see [Checking.Check].
func (e *Engine) Check(ctx context.Context, sel ChangeSelector, opts ApplyOptions) (ApplyResult, error) {
	wt, s, err := e.ofOneChat(ctx, sel, "check")
	if err != nil || len(s.changes) == 0 {
		return ApplyResult{Chat: s.chat, Checkout: s.checkout.Dir}, err
	}
	if opts.Checks.Mode == CheckAsConfigured && len(opts.Checks.Commands) == 0 {
		opts.Checks.Mode = CheckRequired
	}
	plan, err := e.checksOf(ctx, wt.Repo, s.checkout, opts.Checks)
	if err != nil {
		return ApplyResult{Chat: s.chat, Checkout: s.checkout.Dir}, err
	}
	return e.check(ctx, ApplyRequest{Worktree: wt, Checkout: s.checkout, Changes: s.changes, Options: opts}, plan)
}

// applyChecked applies changes if the checks pass on what would come of it.
func (e *Engine) applyChecked(ctx context.Context, req ApplyRequest, plan checkPlan) (ApplyResult, error) {
	judged, err := e.check(ctx, req, plan)
	if err != nil || len(judged.Files) == 0 || req.Options.Check {
		return judged, err
	}
	req.Checked = judged.Tree
	defer e.clearApplied()
	result, err := e.Pending.Apply(ctx, req)
	result.Checks, result.Skipped = judged.Checks, judged.Skipped
	return result, err
}

// check works out what would come of an apply, and judges it.
func (e *Engine) check(ctx context.Context, req ApplyRequest, plan checkPlan) (ApplyResult, error) {
	req.Options.Check, req.Outcome = true, true
	result, err := e.Pending.Apply(ctx, req)
	if err != nil || len(result.Files) == 0 {
		return result, err
	}
	j := judging{e: e, req: req, plan: plan, under: result.Under, tree: result.Tree}
	for _, f := range result.Files {
		j.changes = append(j.changes, f.Change)
	}
	if result.Checks, err = j.all(ctx); err != nil {
		return result, err
	}
	return result, red(result)
}

// judging is the checks of one tree.
type judging struct {
	e           *Engine
	req         ApplyRequest
	plan        checkPlan
	under, tree ObjectID
	changes     []ChangeID

	scratch Worktree // "" as its directory until a check needs it
}

// all runs the checks, one after the other, and all of them even after a red
// one: a person wants to know what else is broken.
func (j *judging) all(ctx context.Context) (results []CheckResult, err error) {
	drop := func() {}
	defer func() { drop() }()
	for _, check := range j.plan.checks {
		r, known, err := j.known(ctx, check)
		if err != nil {
			return results, err
		}
		if !known {
			if j.scratch.Dir == "" {
				if drop, err = j.makeScratch(ctx); err != nil {
					return results, err
				}
			}
			if r, err = j.run(ctx, check); err != nil {
				return results, err
			}
		}
		if err := j.e.Store.PutCheck(ctx, j.req.Worktree.Repo, r, j.changes); err != nil {
			return results, err
		}
		if j.req.Options.Checks.Ended != nil {
			j.req.Options.Checks.Ended(r)
		}
		results = append(results, r)
	}
	return results, nil
}

func (j *judging) known(ctx context.Context, check plannedCheck) (CheckResult, bool, error) {
	if j.req.Options.Checks.Anew {
		return CheckResult{}, false, nil
	}
	r, err := j.e.Store.KnownCheck(ctx, j.req.Worktree.Repo, j.tree, check.digest(check.envPass))
	if err != nil {
		if CodeOf(err) == CodeNotFound {
			err = nil
		}
		return CheckResult{}, false, err
	}
	r.Known, r.Under = true, j.under
	return r, true, nil
}

// checkLock names the lock that says of a scratch that somebody is at it. There
// are as many as letters that a name can end in, so that they stay few.
func checkLock(name ChatID) string { return "check-" + string(name[len(name)-1:]) }

// lockedName returns a name for a scratch whose lock is held.
func (e *Engine) lockedName(ctx context.Context) (name ChatID, release func(), err error) {
	for range len(idAlphabet) {
		name = NewChatID() // of no chat: the ids of scratches and chats never meet
		release, free, err := e.Locks.TryLock(checkLock(name))
		if err != nil || free {
			return name, release, err
		}
	}
	release, err = e.Locks.Lock(ctx, checkLock(name), func() {}) // very many checks run
	return name, release, err
}

// makeScratch makes the worktree that the checks run in.
func (j *judging) makeScratch(ctx context.Context) (drop func(), err error) {
	drop = func() {}
	name, release, err := j.e.lockedName(ctx)
	if err != nil {
		return drop, err
	}
	wt, err := j.e.Trees.MakeScratch(ctx, j.req.Checkout, name, j.tree)
	if err != nil {
		release()
		return drop, fmt.Errorf("make a worktree to check in: %w", err)
	}
	drop = func() {
		defer release()
		_ = j.e.Trees.DropScratch(context.WithoutCancel(ctx), wt) // what it cannot remove now, the next command does
	}
	j.scratch = wt
	warnings, err := j.e.Trees.Furnish(ctx, wt, FurnishRequest{Include: j.plan.include, Environ: j.req.Options.Checks.Environ})
	for _, warning := range warnings {
		j.write([]byte("boo: " + warning + "\n"))
	}
	return drop, err
}

func (j *judging) write(piece []byte) {
	if j.req.Options.Checks.Output != nil {
		j.req.Options.Checks.Output(piece)
	}
}

func (j *judging) run(ctx context.Context, check plannedCheck) (CheckResult, error) {
	if j.req.Options.Checks.Began != nil {
		j.req.Options.Checks.Began(check.Check)
	}
	env := []string{
		"BOO_SOURCE_PATH=" + string(j.req.Checkout.Dir), "BOO_WORKTREE_PATH=" + string(j.scratch.Dir),
		"BOO_CHAT=" + string(j.req.Worktree.Chat), "BOO_CHECK=" + check.Name,
	}
	got, err := j.e.Commands.Run(ctx, CommandRequest{
		Command: check.Command, Dir: j.scratch.Dir, Env: env, EnvPass: check.envPass,
		Environ: j.req.Options.Checks.Environ, Limit: j.plan.limit, Output: j.write,
	})
	if err != nil {
		return CheckResult{}, fmt.Errorf("check %s: %w", check.Name, err)
	}
	return CheckResult{
		Name: check.Name, Command: check.Command, Digest: check.digest(check.envPass), Under: j.under, Tree: j.tree,
		Exit: got.Exit, TimedOut: got.TimedOut, Took: got.Took, At: j.e.Now(), Tail: strings.ToValidUTF8(got.Tail, "\uFFFD"),
	}, nil
}

// mostHinted is how many changes a hint names.
const mostHinted = 20

// red is the error of checks that did not pass.
func red(result ApplyResult) error {
	var failed []string
	for _, r := range result.Checks {
		if !r.OK() {
			failed = append(failed, r.Name)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	hint := "boo pending check -c " + string(result.Chat)
	for _, f := range result.Files[:min(len(result.Files), mostHinted+1)] {
		hint += " " + string(f.Change)
	}
	if len(result.Files) > mostHinted {
		hint = "boo pending check -c " + string(result.Chat)
	}
	return Errorf(CodeCommand, "%d of %d checks failed on what an apply to %s would leave (%s); nothing was written",
		len(failed), len(result.Checks), result.Checkout, strings.Join(failed, ", ")).WithHint("%s", hint)
}

// clearScratches removes what checks that were cut off left behind.
func (e *Engine) clearScratches(ctx context.Context) ([]Recovery, error) {
	left, err := e.Trees.Scratches(ctx)
	if err != nil {
		return nil, err
	}
	var done []Recovery
	for _, wt := range left {
		release, free, err := e.Locks.TryLock(checkLock(wt.Chat))
		if err != nil {
			return done, err
		}
		if !free {
			continue
		}
		err = e.Trees.DropScratch(ctx, wt)
		release()
		if err != nil {
			continue // something still writes there; the next command tries again
		}
		done = append(done, Recovery{Message: "the worktree " + path.Base(path.Dir(string(wt.Dir))) + " of a check that was cut off is removed; nothing was applied by it"})
	}
	return done, nil
}
