package pending

import (
	"testing"

	"boo/orchestrator"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	plain := func(id string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: orchestrator.ObjectID(id)}
	}
	exec := func(id string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeExec, ID: orchestrator.ObjectID(id)}
	}
	symlink := func(id string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeSymlink, ID: orchestrator.ObjectID(id)}
	}
	submodule := func(id string) orchestrator.Entry {
		return orchestrator.Entry{Mode: orchestrator.ModeGitlink, ID: orchestrator.ObjectID(id)}
	}
	var none orchestrator.Entry
	for name, c := range map[string]struct {
		base, mine, theirs orchestrator.Entry
		want               action
		mode               orchestrator.FileMode
	}{
		"untouched file is edited":                 {plain("b"), plain("b"), plain("n"), take, 0},
		"untouched file is deleted":                {plain("b"), plain("b"), none, take, 0},
		"new file":                                 {none, none, plain("n"), take, 0},
		"untouched file becomes a symlink":         {plain("b"), plain("b"), symlink("n"), take, 0},
		"only the mode changes":                    {plain("b"), plain("b"), exec("b"), take, 0},
		"the same edit is there":                   {plain("b"), plain("n"), plain("n"), already, 0},
		"the same file was added":                  {none, plain("n"), plain("n"), already, 0},
		"both deleted it":                          {plain("b"), none, none, already, 0},
		"both edited it":                           {plain("b"), plain("m"), plain("n"), merge, orchestrator.ModeRegular},
		"mine edited, theirs executable":           {plain("b"), plain("m"), exec("b"), merge, orchestrator.ModeExec},
		"mine executable, theirs edited":           {plain("b"), exec("b"), plain("n"), merge, orchestrator.ModeExec},
		"mine took the bit away, theirs edited":    {exec("b"), plain("b"), exec("n"), merge, orchestrator.ModeRegular},
		"both made it executable and edited it":    {plain("b"), exec("m"), exec("n"), merge, orchestrator.ModeExec},
		"different new files":                      {none, plain("m"), plain("n"), refuse, 0},
		"same content added, other mode":           {none, exec("n"), plain("n"), refuse, 0},
		"mine deleted, theirs edited":              {plain("b"), none, plain("n"), refuse, 0},
		"mine edited, theirs deleted":              {plain("b"), plain("m"), none, refuse, 0},
		"mine edited, theirs a symlink":            {plain("b"), plain("m"), symlink("n"), refuse, 0},
		"mine a symlink, theirs edited":            {plain("b"), symlink("m"), plain("n"), refuse, 0},
		"both point the symlink elsewhere":         {symlink("b"), symlink("m"), symlink("n"), refuse, 0},
		"mine only executable, theirs deleted":     {plain("b"), exec("b"), none, refuse, 0},
		"a submodule moves":                        {submodule("b"), none, submodule("n"), refuse, 0},
		"a submodule goes":                         {submodule("b"), none, none, refuse, 0},
		"a file becomes a submodule":               {plain("b"), plain("b"), submodule("n"), refuse, 0},
		"an untouched symlink is pointed anywhere": {symlink("b"), symlink("b"), symlink("n"), take, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judge(c.base, c.mine, c.theirs)
			if got.action != c.want || got.mode != c.mode {
				t.Errorf("judge = %+v, want action %d mode %o", got, c.want, uint32(c.mode))
			}
			if (got.reason != "") != (c.want == refuse) {
				t.Errorf("reason %q", got.reason)
			}
		})
	}
}
