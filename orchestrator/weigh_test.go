package orchestrator_test

import (
	"testing"
	"time"
)

func TestWorktreesAreMeasuredInTheBackground(t *testing.T) {
	w := newWorld(t)
	sent := w.send("one", "write new.txt with hello")
	w.follow(sent.Turn, nil)
	measured := func() bool {
		sizes, err := w.full.Sizes(t.Context())
		w.check(err)
		return sizes[sent.Chat].Bytes > 0
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !measured() {
		select {
		case <-tick.C:
		case <-time.After(time.Minute):
			t.Fatal("it was not measured after the turn")
		}
	}
}
