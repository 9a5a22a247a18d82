package backends

import (
	"context"
	"time"

	"boo/orchestrator"
)

// toldChild is a child whose beginning and end somebody is told of: its end
// before anybody else can see it.
type toldChild struct {
	Child
	done chan struct{}
}

// tell tells started at once and gone at the end; either may be nil.
func tell(child Child, p orchestrator.Process, started, gone func(orchestrator.Process)) Child {
	if started != nil {
		started(p)
	}
	if gone == nil {
		return child
	}
	c := &toldChild{Child: child, done: make(chan struct{})}
	go func() { // ends with the child, whose owner waits for done
		defer close(c.done)
		<-child.Done()
		gone(p)
	}()
	return c
}

// Done is closed when the tree is gone and that was told.
func (c *toldChild) Done() <-chan struct{} { return c.done }

// Exit waits for Done.
func (c *toldChild) Exit() Exit {
	<-c.done
	return c.Child.Exit()
}

// End returns when the tree is gone and that was told.
func (c *toldChild) End(ctx context.Context, grace time.Duration) error {
	if err := c.Child.End(ctx, grace); err != nil {
		return err
	}
	<-c.done
	return nil
}
