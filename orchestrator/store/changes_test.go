package store_test

import (
	"slices"
	"testing"

	"boo/orchestrator"
)

func TestAChangeComesBackAsItWasStored(t *testing.T) {
	f := newFixture(t)
	want := f.change("dir/\xff\x80 odd\nname")
	want.Binary = true
	gone := f.change("gone")
	gone.New, gone.Turn, gone.Contributors = orchestrator.Entry{}, "", nil
	must(t, f.StoreDelta(f.ctx, f.delta(want, gone)))
	equal(t, "changes", f.changes(t), []orchestrator.Change{want, gone})
}

func TestANewRowSupersedesTheOldOne(t *testing.T) {
	f := newFixture(t)
	a, b, c := f.change("a"), f.change("b"), f.change("c")
	must(t, f.StoreDelta(f.ctx, f.delta(a, b, c)))
	a2 := f.change("a")
	delta := f.delta(a2)
	delta.Retire = map[orchestrator.ChangeID]orchestrator.ChangeID{a.ID: a2.ID, b.ID: ""} // b is back at its baseline
	must(t, f.StoreDelta(f.ctx, delta))
	equal(t, "pending", f.changes(t, orchestrator.ChangePending), []orchestrator.Change{a2, c})
	old := f.changes(t, orchestrator.ChangeSuperseded)
	if len(old) != 2 || old[0].SupersededBy != a2.ID || old[1].SupersededBy != "" || old[0].DecidedAt.IsZero() {
		t.Fatalf("superseded %+v", old)
	}
	wantCode(t, orchestrator.CodeConflict, f.StoreDelta(f.ctx, delta)) // a is not pending any more
	wantCode(t, orchestrator.CodeConflict, f.StoreDelta(f.ctx, f.delta(f.change("new"), f.change("c"))))
	if got := f.changes(t); len(got) != 4 {
		t.Fatalf("a part of a delta was stored: %+v", got)
	}
}

func TestChangesAreSelected(t *testing.T) {
	f := newFixture(t)
	a := f.change("a")
	must(t, f.StoreDelta(f.ctx, f.delta(a)))
	other := newFixtureWith(t, f, "/src/other/.git")
	b := other.change("b")
	must(t, f.StoreDelta(f.ctx, other.delta(b)))
	ids := func(q orchestrator.ChangeQuery) (list []orchestrator.ChangeID) {
		got, err := f.Changes(f.ctx, q)
		must(t, err)
		for _, c := range got {
			list = append(list, c.ID)
		}
		slices.Sort(list)
		return list
	}
	both := []orchestrator.ChangeID{a.ID, b.ID}
	slices.Sort(both)
	equal(t, "all", ids(orchestrator.ChangeQuery{}), both)
	equal(t, "of a repository", ids(orchestrator.ChangeQuery{Repo: other.repo.ID}), []orchestrator.ChangeID{b.ID})
	equal(t, "of a chat", ids(orchestrator.ChangeQuery{Chat: f.chat}), []orchestrator.ChangeID{a.ID})
	equal(t, "by prefix", ids(orchestrator.ChangeQuery{Prefix: string(b.ID[:9])}), []orchestrator.ChangeID{b.ID})
	equal(t, "by states", ids(orchestrator.ChangeQuery{States: []orchestrator.ChangeState{orchestrator.ChangeApplied, orchestrator.ChangePending}}), both)
	if got := ids(orchestrator.ChangeQuery{States: []orchestrator.ChangeState{orchestrator.ChangeApplied}}); got != nil {
		t.Fatal(got)
	}
}

// newFixtureWith is a chat of another repository in the same store.
func newFixtureWith(t testing.TB, f fixture, common orchestrator.GitDir) fixture {
	t.Helper()
	f.repo = mustRepo(t, f.Store, common)
	f.turn = mustChat(t, f.Store, f.repo, "goose")
	f.chat = f.turn.Chat
	return f
}

func (f fixture) apply(changes ...orchestrator.Change) orchestrator.Apply {
	a := orchestrator.Apply{
		ID: orchestrator.NewApplyID(), Chat: f.chat, Checkout: "/src/d\xffmo", GitDir: "/src/demo/.git", CommonDir: "/src/demo/.git",
		StageDir: "/src/demo/.git/boo", State: orchestrator.ApplyPrepared, Kind: orchestrator.KindApply, Origin: "/src/d\xffmo",
		Landing:     orchestrator.Landing{Ref: "refs/heads/x", New: "n", Index: []orchestrator.IndexStep{{Path: "i\xff", After: orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: base}}}},
		OldBaseline: base, NewBaseline: "next", CreatedAt: moment,
	}
	for _, c := range changes {
		a.Steps = append(a.Steps, orchestrator.ApplyStep{
			Path: c.Path, Change: c.ID, Base: c.Old, Before: c.Old, After: c.New, Agent: c.New,
			BeforeRaw: "raw", Dirs: []orchestrator.Path{"new\xfe", "new\xfe/dir"},
		})
	}
	return a
}

func (f fixture) applies(t testing.TB, states ...orchestrator.ApplyState) []orchestrator.Apply {
	t.Helper()
	list, err := f.Applies(f.ctx, "", states...)
	must(t, err)
	return list
}

func (f fixture) baseline(t testing.TB) orchestrator.ObjectID {
	t.Helper()
	wt, err := f.Worktree(f.ctx, f.chat)
	must(t, err)
	return wt.Baseline
}

func TestAnApplyAndItsUndo(t *testing.T) {
	f := newFixture(t)
	a, b := f.change("a\xff"), f.change("b")
	must(t, f.StoreDelta(f.ctx, f.delta(a, b)))
	apply := f.apply(a)
	must(t, f.PutApply(f.ctx, apply))
	equal(t, "journal", f.applies(t, orchestrator.ApplyPrepared), []orchestrator.Apply{apply})

	must(t, f.CommitApply(f.ctx, apply, nil))
	applied := f.changes(t, orchestrator.ChangeApplied)
	if len(applied) != 1 || applied[0].ID != a.ID || applied[0].AppliedBy != apply.ID || f.baseline(t) != "next" {
		t.Fatalf("applied %+v, baseline %s", applied, f.baseline(t))
	}
	wantCode(t, orchestrator.CodeBusy, f.CommitApply(f.ctx, apply, nil))

	again := f.change("a\xff")
	delta := f.delta(again)
	delta.Baseline = "back"
	stale := delta
	stale.Baseline = "elsewhere"
	wantCode(t, orchestrator.CodeConflict, f.CommitUndo(f.ctx, apply, "next", "back", stale))
	wantCode(t, orchestrator.CodeConflict, f.CommitUndo(f.ctx, apply, "elsewhere", "back", delta))
	if f.baseline(t) != "next" || len(f.applies(t, orchestrator.ApplyApplied)) != 1 {
		t.Fatal("a part of the undo was stored")
	}
	must(t, f.CommitUndo(f.ctx, apply, "next", "back", delta))
	equal(t, "pending", f.changes(t, orchestrator.ChangePending), []orchestrator.Change{again, b})
	if got := f.changes(t, orchestrator.ChangeReverted); len(got) != 1 || got[0].ID != a.ID || f.baseline(t) != "back" {
		t.Fatalf("reverted %+v, baseline %s", got, f.baseline(t))
	}
	wantCode(t, orchestrator.CodeBusy, f.CommitUndo(f.ctx, apply, "back", "back", orchestrator.ChangeDelta{}))
}

func TestAnApplyOfWhatHasMovedIsAConflict(t *testing.T) {
	f := newFixture(t)
	a := f.change("a")
	must(t, f.StoreDelta(f.ctx, f.delta(a)))
	moved := f.apply(a)
	moved.OldBaseline = "elsewhere"
	must(t, f.PutApply(f.ctx, moved))
	wantCode(t, orchestrator.CodeConflict, f.CommitApply(f.ctx, moved, nil))

	retired := f.delta()
	retired.Retire = map[orchestrator.ChangeID]orchestrator.ChangeID{a.ID: ""}
	must(t, f.StoreDelta(f.ctx, retired))
	late := f.apply(a)
	must(t, f.PutApply(f.ctx, late))
	wantCode(t, orchestrator.CodeConflict, f.CommitApply(f.ctx, late, nil))
	if f.baseline(t) != base || len(f.applies(t, orchestrator.ApplyPrepared)) != 2 {
		t.Fatal("a part of an apply was stored")
	}
	must(t, f.MoveApply(f.ctx, late.ID, orchestrator.ApplyPrepared, orchestrator.ApplyRolledBack))
	wantCode(t, orchestrator.CodeBusy, f.MoveApply(f.ctx, late.ID, orchestrator.ApplyPrepared, orchestrator.ApplyRolledBack))
	wantCode(t, orchestrator.CodeNotFound, f.MoveApply(f.ctx, "a-nowhere", orchestrator.ApplyPrepared, orchestrator.ApplyApplied))
}

func TestAppliesAreListedNewestFirst(t *testing.T) {
	f := newFixture(t)
	first, second, elsewhere := f.apply(), f.apply(), f.apply()
	elsewhere.Checkout = "/src/other"
	for _, a := range []orchestrator.Apply{first, second, elsewhere} {
		must(t, f.PutApply(f.ctx, a))
	}
	must(t, f.MoveApply(f.ctx, first.ID, orchestrator.ApplyPrepared, orchestrator.ApplyRolledBack))
	list, err := f.Applies(f.ctx, first.Checkout)
	must(t, err)
	if len(list) != 2 || list[0].ID != second.ID || list[1].ID != first.ID {
		t.Fatalf("applies %+v", list)
	}
	list, err = f.Applies(f.ctx, first.Checkout, orchestrator.ApplyPrepared, orchestrator.ApplyApplied)
	must(t, err)
	if len(list) != 1 || list[0].ID != second.ID {
		t.Fatalf("prepared %+v", list)
	}
	wantCode(t, orchestrator.CodeNotFound, f.PutApply(f.ctx, orchestrator.Apply{ID: "a-x", Chat: "c-nowhere"}))
}
