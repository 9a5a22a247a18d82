package orchestrator_test

import (
	"slices"
	"testing"

	"boo/orchestrator"
)

func TestOpNamesTheStep(t *testing.T) {
	file := func(id string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(id)}
	}
	with := func(m orchestrator.FileMode) orchestrator.Entry { return orchestrator.Entry{Mode: m, ID: "1"} }
	for _, c := range []struct {
		old, new orchestrator.Entry
		want     orchestrator.ChangeOp
	}{
		{orchestrator.Entry{}, file("1"), orchestrator.OpCreate},
		{file("1"), orchestrator.Entry{}, orchestrator.OpDelete},
		{file("1"), file("2"), orchestrator.OpEdit},
		{file("1"), with(orchestrator.ModeExec), orchestrator.OpMode},
		{file("1"), with(orchestrator.ModeSymlink), orchestrator.OpType},
		{with(orchestrator.ModeExec), file("2"), orchestrator.OpEdit},
		{file("1"), with(orchestrator.ModeGitlink), orchestrator.OpType},
	} {
		if got := orchestrator.OpOf(c.old, c.new); got != c.want {
			t.Errorf("from %v to %v is %s, want %s", c.old, c.new, got, c.want)
		}
	}
}

func TestAgentsAreNamedOnceInOrder(t *testing.T) {
	c := orchestrator.Change{Contributors: []orchestrator.Contribution{
		{Agent: "goose", Turn: "t1"}, {Agent: "you", Turn: "t2"}, {Agent: "goose", Turn: "t3"},
	}}
	if got := c.Agents(); !slices.Equal(got, []orchestrator.AgentName{"goose", "you"}) {
		t.Errorf("got %v", got)
	}
}
