package pending_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

// core.hooksPath says where hooks are, and the hint takes what is harmless.
func TestHooksAreWhereTheConfigurationSays(t *testing.T) {
	t.Parallel()
	for _, absolute := range []bool{false, true} {
		w := newWorld(t, map[string]string{"f": "1\n"})
		dir := "ci/run"
		if absolute {
			dir = w.repo + "/ci/run"
		}
		w.run(w.repo, "config", "core.hooksPath", dir)
		w.turn("goose", w.edit(map[string]string{"ci/run/pre-commit": "+x:#!/bin/sh\n", "f": "2\n"}))
		result, err := w.apply()
		if len(result.Conflict) != 1 || result.Conflict[0].Path != "ci/run/pre-commit" || result.Conflict[0].Danger != orchestrator.DangerHook {
			t.Errorf("refused %+v, %v", result.Conflict, err)
		}
		words := strings.Fields(orchestrator.HintOf(err))
		if want := string(w.pending("f")[0].ID); len(words) != 4 || words[3] != want {
			t.Errorf("the hint is %q, want one that applies %s", words, want)
		}
		dangers, err := w.engine.Dangers(t.Context(), w.worktree(), w.pending())
		if err != nil || len(dangers) != 1 {
			t.Errorf("dangers %+v, %v", dangers, err)
		}
		w.mustApply("f")
	}
}
