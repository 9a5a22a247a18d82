package orchestrator

import (
	"context"
	"strings"
)

// BlameRun is consecutive lines of a file that come from one commit.
type BlameRun struct {
	Commit ObjectID
	Lines  []string // without their ends, otherwise byte for byte
}

// BlamedFile says of each line of a file who wrote it.
type BlamedFile struct {
	Chat     ChatID
	Path     Path
	Snapshot ObjectID // the commit whose lines these are
	Parts    []BlamedPart
}

// BlamedPart is consecutive lines that were written by one author in one turn.
type BlamedPart struct {
	BlameRun
	// Agent wrote the lines; it is [Person] for the person, and "" for lines
	// that were in the base already.
	Agent AgentName
	// Turn is the one in which an agent wrote them, or before which the person
	// did; it is the zero Turn for the base and for what came about outside of
	// any turn.
	Turn Turn
}

// Blame tells who wrote each line of a file, as the chat's newest snapshot has
// it; see [Service.Blame].
func (e *Engine) Blame(ctx context.Context, ref ChatRef, file string) (BlamedFile, error) {
	c, err := e.checkout(ctx, ref.Dir)
	if err != nil {
		return BlamedFile{}, err
	}
	path, err := e.blamedPath(ctx, c, ref, file)
	if err != nil {
		return BlamedFile{}, err
	}
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return BlamedFile{}, err
	}
	if err := e.confirmed(ctx, "", chat.ID); err != nil {
		return BlamedFile{}, err
	}
	wt := chat.Worktree
	at, err := e.newest(ctx, wt)
	if err != nil {
		return BlamedFile{}, err
	}
	if at == wt.Base {
		return BlamedFile{}, Errorf(CodeNotFound, "no turn of chat %s has come to its files yet", chat.ID).WithHint("boo chat show -c %s", chat.ID)
	}
	runs, err := e.Trees.Blame(ctx, wt, at, path)
	if err != nil {
		return BlamedFile{}, err
	}
	turns, err := e.Store.Turns(ctx, chat.ID)
	if err != nil {
		return BlamedFile{}, err
	}
	return BlamedFile{Chat: chat.ID, Path: path, Snapshot: at, Parts: attribute(runs, wt.Base, turns)}, nil
}

// blamedPath takes a path as the person typed it, or the id of a change.
func (e *Engine) blamedPath(ctx context.Context, c Checkout, ref ChatRef, file string) (Path, error) {
	path, err := repoPath(c, file)
	if err == nil && path == "" {
		err = Errorf(CodeInvalid, "%s is a directory; blame takes a file", file).WithHint("boo pending ls")
	}
	if _, idErr := ParseChangePrefix(file); idErr != nil || strings.ContainsRune(file, '/') {
		return path, err
	}
	rows, lookErr := e.Changes(ctx, ChangeSelector{Dir: ref.Dir, Chat: ref.Prefix})
	if lookErr != nil {
		return path, err
	}
	byID, byPath := matching(rows, c, file)
	if len(byID) != 1 || len(byPath) > 0 {
		return path, err
	}
	for _, row := range rows {
		if row.ID == byID[0] {
			return row.Path, nil
		}
	}
	return path, err
}

// attribute puts names to commits of the chain.
func attribute(runs []BlameRun, base ObjectID, turns []Turn) []BlamedPart {
	authors := authorsOf(turns)
	parts := make([]BlamedPart, 0, len(runs))
	for _, run := range runs {
		part := BlamedPart{BlameRun: run}
		if by, known := authors[run.Commit]; known {
			part.Agent, part.Turn = by.agent, by.turn
		} else if run.Commit != base {
			part.Agent = Person // boo records what nobody's turn did only at the person's bidding
		}
		parts = append(parts, part)
	}
	return parts
}

type author struct {
	agent AgentName
	turn  Turn
}

// authorsOf says whose work each snapshot of the turns records.
func authorsOf(turns []Turn) map[ObjectID]author {
	byID := make(map[TurnID]Turn, len(turns))
	for _, t := range turns {
		byID[t.ID] = t
	}
	authors := map[ObjectID]author{}
	for _, t := range turns {
		// Where nobody edited in between, a turn begins at the snapshot that the one
		// before it ended with: that stays the earlier one's work.
		if _, known := authors[t.Before]; t.Before != "" && !known {
			by := owed(turns, t)
			authors[t.Before] = author{by.Agent, byID[by.Turn]}
		}
		if _, known := authors[t.After]; t.After != "" && !known {
			authors[t.After] = author{t.Agent, t}
		}
	}
	return authors
}
