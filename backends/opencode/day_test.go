package opencode

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// heldMost bounds what a server and its session may hold more after any number
// of turns, in bytes.
const heldMost = 4 << 20

// TestADayOfEvents plays one recorded turn many times over, each time with ids
// of its own: every turn brings what was recorded, once, and leaves nothing.
// By hand: BOO_TEST_EVENTS=200000.
func TestADayOfEvents(t *testing.T) {
	recorded := readFrames(t, "tools")
	turns := dayEvents()/len(recorded) + 1
	frames := make([]string, 0, turns*len(recorded))
	for n := range turns {
		fresh := strings.NewReplacer(`"msg_prompt1`, fmt.Sprintf(`"msg_prompt%d`, n+1),
			`"msg_`, fmt.Sprintf(`"msg_%d`, n), `"prt_`, fmt.Sprintf(`"prt_%d`, n), `"call_`, fmt.Sprintf(`"call_%d`, n))
		for _, f := range recorded {
			frames = append(frames, fresh.Replace(f))
		}
	}
	r := newReplay(t, frames)
	r.begun = r.forgetOld
	s := r.open(t, brisk)
	want := s.collect(t.Context(), nil)
	if want.text != "hello there\n" || want.result.Usage.Input == 0 {
		t.Fatalf("the first turn: %+v", want)
	}
	var before uint64
	for n := 1; n < turns; n++ {
		o := s.collect(t.Context(), nil)
		if math.Abs(o.result.Usage.Cost-want.result.Usage.Cost) < 1e-9 { // steps are added in any order
			o.result.Usage.Cost = want.result.Usage.Cost
		}
		if o.err != nil || o.text != want.text || o.thought != want.thought || o.plan != want.plan ||
			len(o.tools) != 3 || len(o.notices) != 0 || o.result != want.result {
			t.Fatalf("turn %d of %d: %+v, want %+v", n, turns, o, want)
		}
		if n == turns/4 {
			before = held()
		}
	}
	if after := held(); after > before+heldMost {
		t.Errorf("%d turns more, and it holds %d bytes more", turns*3/4, after-before)
	}
	if all := s.host.all(); len(all) != 1 || s.current() != nil {
		t.Errorf("%d sessions, in a turn: %v", len(all), s.current() != nil)
	}
}

// forgetOld keeps as many records as a turn looks back.
func (r *replay) forgetOld() {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := max(0, len(r.order)-lookBack)
	for _, id := range r.order[:old] {
		delete(r.infos, id)
		delete(r.parts, id)
	}
	r.order = slices.Clone(r.order[old:])
}

func dayEvents() int {
	if n, err := strconv.Atoi(os.Getenv("BOO_TEST_EVENTS")); err == nil {
		return n
	}
	return 1500
}

func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
