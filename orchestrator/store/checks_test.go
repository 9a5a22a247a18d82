package store_test

import (
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

func TestTheNewestResultOfEachCheckIsKnownOfTheChangesItWasAbout(t *testing.T) {
	f := newFixture(t)
	one, two := f.change("one"), f.change("two")
	must(t, f.StoreDelta(f.ctx, f.delta(one, two)))
	if known, err := f.CheckedChanges(f.ctx, f.repo.ID); len(known) != 0 || err != nil {
		t.Fatalf("before any check: %v, %v", known, err)
	}
	result := func(name string, tree orchestrator.ObjectID, exit int, minute int) orchestrator.CheckResult {
		return orchestrator.CheckResult{
			Name: name, Command: "make " + name, Digest: strings.Repeat(name[:1], 64), Under: "u", Tree: tree, Exit: exit,
			Took: 1500 * time.Millisecond, At: time.UnixMilli(int64(minute) * 60_000).UTC(), Tail: "out\n",
		}
	}
	both := []orchestrator.ChangeID{one.ID, two.ID}
	must(t, f.PutCheck(f.ctx, f.repo.ID, result("build", "t1", 1, 1), both))
	must(t, f.PutCheck(f.ctx, f.repo.ID, result("build", "t1", 0, 2), both)) // in its place
	must(t, f.PutCheck(f.ctx, f.repo.ID, result("build", "t2", 2, 3), both[:1]))
	must(t, f.PutCheck(f.ctx, f.repo.ID, result("test", "t1", 0, 1), both))

	got, err := f.KnownCheck(f.ctx, f.repo.ID, "t1", strings.Repeat("b", 64))
	if want := result("build", "t1", 0, 2); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	_, err = f.KnownCheck(f.ctx, f.repo.ID, "t3", strings.Repeat("b", 64))
	wantCode(t, orchestrator.CodeNotFound, err)

	for _, repo := range []orchestrator.RepoID{f.repo.ID, ""} {
		known, err := f.CheckedChanges(f.ctx, repo)
		must(t, err)
		if list := known[one.ID]; len(list) != 2 || list[0] != result("build", "t2", 2, 3) || list[1] != result("test", "t1", 0, 1) {
			t.Errorf("one: %+v", list)
		}
		if list := known[two.ID]; len(list) != 2 || list[0] != result("build", "t1", 0, 2) {
			t.Errorf("two: %+v", list)
		}
	}
	if known, err := f.CheckedChanges(f.ctx, "rother"); len(known) != 0 || err != nil {
		t.Errorf("another repository: %v, %v", known, err)
	}
	wantCode(t, orchestrator.CodeNotFound, f.PutCheck(f.ctx, f.repo.ID, result("lint", "t1", 0, 1), []orchestrator.ChangeID{"pnone"}))
}

func TestACheckIsStaleOnceOneOfItsChangesIsNotPendingAnyMore(t *testing.T) {
	f := newFixture(t)
	one, two := f.change("one"), f.change("two")
	must(t, f.StoreDelta(f.ctx, f.delta(one, two)))
	r := orchestrator.CheckResult{Name: "test", Digest: strings.Repeat("1", 64), Tree: "t1"}
	must(t, f.PutCheck(f.ctx, f.repo.ID, r, []orchestrator.ChangeID{one.ID, two.ID}))
	delta := f.delta()
	delta.Retire = map[orchestrator.ChangeID]orchestrator.ChangeID{two.ID: ""}
	must(t, f.StoreDelta(f.ctx, delta))
	known, err := f.CheckedChanges(f.ctx, f.repo.ID)
	if err != nil || len(known) != 1 || len(known[one.ID]) != 1 || !known[one.ID][0].Stale {
		t.Errorf("known %+v, %v", known, err)
	}
}
