package pending

import (
	"errors"
	"sync"
)

// inParts does something that changes nothing on disk for every move, the
// moves of a large apply on two cores at once. Each gets a handle of its own on
// the tree, which may be nil.
func inParts(t *tree, moves []*move, do func(*tree, *move) error) error {
	const worthIt, parts = 64, 2
	if len(moves) < worthIt {
		return eachOf(t, moves, do)
	}
	errs := make([]error, parts)
	var wg sync.WaitGroup
	for i := range parts {
		part := moves[i*len(moves)/parts : (i+1)*len(moves)/parts]
		wg.Go(func() {
			own, err := t.again()
			if err == nil {
				defer own.close()
				err = eachOf(own, part, do)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func eachOf(t *tree, moves []*move, do func(*tree, *move) error) error {
	for _, m := range moves {
		if err := do(t, m); err != nil {
			return err
		}
	}
	return nil
}
