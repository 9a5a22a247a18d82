package orchestrator

import (
	"context"
	"time"
)

// Approval says that the person lets commands of a repository be run: exactly
// those with the digest.
type Approval struct {
	Repo   RepoID
	Kind   CommandKind
	Digest string
	At     time.Time
}

// ApprovalStore keeps approvals.
type ApprovalStore interface {
	// Approve stores an approval; that it is there already is no error.
	Approve(ctx context.Context, a Approval) error
	// Approvals lists those of a repository.
	Approvals(ctx context.Context, repo RepoID) ([]Approval, error)
	// RevokeApprovals removes all of a repository's and returns how many they were.
	RevokeApprovals(ctx context.Context, repo RepoID) (int, error)
}

// Approving is the part of [Service] that lets commands of a repository run.
type Approving interface {
	// Approvals lists what the project file of the checkout that dir is in would
	// run, and whether it may.
	Approvals(ctx context.Context, dir string) ([]CommandSet, error)
	// Approve lets those sets run from now on. CodeConflict if the file has
	// changed since they were listed: then none is approved.
	Approve(ctx context.Context, dir string, sets []CommandSet) error
	// Revoke takes back every approval given in the repository that dir is in,
	// whatever its file says now, and returns how many they were.
	Revoke(ctx context.Context, dir string) (int, error)
}

// Approvals lists what may run; see [Approving.Approvals].
func (e *Engine) Approvals(ctx context.Context, dir string) ([]CommandSet, error) {
	c, err := e.checkout(ctx, dir)
	if err != nil {
		return nil, err
	}
	project, err := e.Projects.Project(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	var given []Approval
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if err == nil {
		given, err = e.Store.Approvals(ctx, repo.ID)
	}
	if err != nil && CodeOf(err) != CodeNotFound {
		return nil, err
	}
	return judgeSets(project, given), nil
}

// judgeSets is everything that a project would run, with what is approved of it.
func judgeSets(project Project, given []Approval) []CommandSet {
	var sets []CommandSet
	for _, kind := range CommandKinds() {
		set, ok := project.Commands(kind)
		if !ok {
			continue
		}
		for _, a := range given {
			if a.Kind == kind && a.Digest == set.Digest {
				set.Approved, set.At = true, a.At
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// Approve lets sets run; see [Approving.Approve].
func (e *Engine) Approve(ctx context.Context, dir string, sets []CommandSet) error {
	c, err := e.checkout(ctx, dir)
	if err != nil {
		return err
	}
	project, err := e.Projects.Project(ctx, c.Dir)
	if err != nil {
		return err
	}
	for _, shown := range sets {
		if now, _ := project.Commands(shown.Kind); now.Digest != shown.Digest {
			return Errorf(CodeConflict, ".boo.toml has changed since it was shown; nothing was approved").WithHint("boo approve")
		}
	}
	repo, err := e.Store.PutRepo(ctx, Repo{ID: NewRepoID(), CommonDir: c.CommonDir, Root: c.Dir, CreatedAt: e.Now()})
	if err != nil {
		return err
	}
	for _, set := range sets {
		if err := e.Store.Approve(ctx, Approval{Repo: repo.ID, Kind: set.Kind, Digest: set.Digest, At: e.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// Revoke takes approvals back; see [Approving.Revoke].
func (e *Engine) Revoke(ctx context.Context, dir string) (int, error) {
	c, err := e.checkout(ctx, dir)
	if err != nil {
		return 0, err
	}
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if err != nil {
		if CodeOf(err) == CodeNotFound {
			return 0, nil
		}
		return 0, err
	}
	return e.Store.RevokeApprovals(ctx, repo.ID)
}

// approved returns what the project would run of a kind; ok is false when that
// is nothing, and set.Approved when it may not.
func (e *Engine) approved(ctx context.Context, repo RepoID, project Project, kind CommandKind) (set CommandSet, ok bool, err error) {
	given, err := e.Store.Approvals(ctx, repo)
	if err != nil {
		return CommandSet{}, false, err
	}
	for _, set := range judgeSets(project, given) {
		if set.Kind == kind {
			return set, true, nil
		}
	}
	return CommandSet{}, false, nil
}
