package orchestrator

// BaseRequest says what a new chat starts from.
type BaseRequest struct {
	// Rev is a revision as git rev-parse takes it, or one of these words: "" or
	// "head" is the commit checked out; "fresh" the remote's default branch,
	// fetched now; "dirty" the commit checked out with the person's uncommitted
	// and untracked work on it; "pr/7", "pr:7", "#7" and "mr/7" a pull or merge
	// request of the remote. A branch with such a name is reached by its full
	// one, refs/heads/fresh.
	Rev string
	// Environ is the environment that a fetch finds credentials in; that of the
	// process when nil.
	Environ []string
}

// Base is the commit that a new chat starts from.
type Base struct {
	Commit ObjectID
	// Skipped is the person's work that a dirty base had to leave out.
	Skipped []SkippedPath
}

// FurnishRequest says what a new worktree gets besides its base.
type FurnishRequest struct {
	Include []string // patterns of ignored files to bring along, as in a gitignore file
	LFS     LFSPolicy
	Environ []string // as in [BaseRequest]
}
