package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

type hunkService struct {
	*fakeService
	list []orchestrator.ChangeHunks
}

func (f hunkService) Hunks(context.Context, orchestrator.ChangeSelector) ([]orchestrator.ChangeHunks, error) {
	return f.list, nil
}

// Two files of three hunks each; of the second file the last hunk is qwen's.
func hunksToAsk() []orchestrator.ChangeHunks {
	of := func(c orchestrator.Change, last orchestrator.AgentName) orchestrator.ChangeHunks {
		list := orchestrator.ChangeHunks{Change: c}
		for i, agent := range []orchestrator.AgentName{"goose", "goose", last} {
			list.Hunks = append(list.Hunks, orchestrator.Hunk{
				OldLine: 10 * i, NewLine: 10 * i, Removed: []string{"old\n"}, Added: []string{"new \x1b]52;c;AAAA\x07\n"}, Agents: []orchestrator.AgentName{agent},
			})
		}
		return list
	}
	return []orchestrator.ChangeHunks{
		of(change("p000000001", "a", orchestrator.OpEdit, 3, 3), "goose"), of(change("p000000002", "b", orchestrator.OpEdit, 3, 3), "qwen"),
	}
}

func TestHunksAreTakenAsTheyAreAnswered(t *testing.T) {
	type taken = map[orchestrator.ChangeID][]int
	for keys, c := range map[string]struct {
		agent orchestrator.AgentName
		want  taken
	}{
		"ynyn" + "yn": {want: taken{"p000000001": {0, 2}, "p000000002": {1}}},
		"na" + "d":    {want: taken{"p000000001": {1, 2}}},
		"yq":          {want: taken{"p000000001": {0}}},
		"nnnnnn":      {want: taken{}},
		"?y" + "s?q":  {want: taken{"p000000001": {0}}},
		"y":           {agent: "qwen", want: taken{"p000000002": {2}}},
	} {
		t.Run(keys, func(t *testing.T) {
			e, screen := attended(newFake(), 0)
			e.svc = hunkService{newFake(), hunksToAsk()}
			asked := 0
			e.Key = func(_ context.Context, _ string, ask func()) (byte, error) {
				ask()
				asked++
				return keys[asked-1], nil
			}
			ids, got, err := e.askHunks(t.Context(), orchestrator.ChangeSelector{}, "Apply", c.agent)
			if err != nil || asked != len(keys) {
				t.Fatalf("%v after %d of %d answers", err, asked, len(keys))
			}
			if !maps.EqualFunc(got, c.want, slices.Equal) || len(ids) != len(c.want) {
				t.Errorf("taken: %v of %v, want %v", got, ids, c.want)
			}
			if strings.Contains(screen.String(), "\x1b]52") {
				t.Error("an agent's text acts on the terminal")
			}
		})
	}
}
