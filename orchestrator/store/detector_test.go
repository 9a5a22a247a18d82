package store

import (
	"sync"
	"testing"
)

// The race detector leaves the C of SQLite out. It must not leave out more: a copy
// of what a sync.Map does, compiled into a package that it does not look at, becomes
// that of the whole program, and whatever is handed on through any such map is then
// reported, now and then, as a race.
func TestTheDetectorSeesWhatIsHandedOnThroughAMap(t *testing.T) {
	for range 100 {
		var handed sync.Map
		var both sync.WaitGroup
		both.Go(func() {
			value := new(int)
			*value = 7
			handed.Store("value", value)
		})
		both.Go(func() {
			for {
				value, ok := handed.Load("value")
				if !ok {
					continue
				}
				if *value.(*int) != 7 {
					t.Error("it came before what it holds")
				}
				return
			}
		})
		both.Wait()
	}
}
