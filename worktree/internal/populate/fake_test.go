package populate_test

import (
	"context"
	"errors"
	"io"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/populate"
)

// memory holds trees that git would not store.
type memory map[orchestrator.ObjectID][]byte

func (m memory) put(tree []byte) orchestrator.ObjectID {
	id := objectid.SHA1.Of(objectid.Tree, tree)
	m[id] = tree
	return id
}

// merged reads trees from memory first.
type merged struct {
	memory
	populate.Objects
}

func (m merged) Tree(ctx context.Context, id orchestrator.ObjectID) ([]byte, error) {
	if content, ok := m.memory[id]; ok {
		return content, nil
	}
	return m.Objects.Tree(ctx, id)
}

var errLost = errors.New("lost")

// losing has all objects but one.
type losing struct {
	populate.Objects
	id orchestrator.ObjectID
}

func (l *losing) Blob(ctx context.Context, id orchestrator.ObjectID, w io.Writer) error {
	if id == l.id {
		return errLost
	}
	return l.Objects.Blob(ctx, id, w)
}
