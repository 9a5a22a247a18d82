package pending

import (
	"errors"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestHostileChanges(t *testing.T) {
	t.Parallel()
	entry := func(mode orchestrator.FileMode) orchestrator.Entry {
		if mode == 0 {
			return orchestrator.Entry{}
		}
		return orchestrator.Entry{Mode: mode, ID: "1"}
	}
	change := func(p string, old, new orchestrator.FileMode) orchestrator.Change {
		return orchestrator.Change{FileChange: orchestrator.FileChange{Path: orchestrator.Path(p), Old: entry(old), New: entry(new)}}
	}
	edited := func(p string) orchestrator.Change {
		c := change(p, orchestrator.ModeExec, orchestrator.ModeExec)
		c.New.ID = "2"
		return c
	}
	const (
		none = orchestrator.ModeNone
		reg  = orchestrator.ModeRegular
		exec = orchestrator.ModeExec
		sym  = orchestrator.ModeSymlink
		sub  = orchestrator.ModeGitlink
	)
	for name, c := range map[string]struct {
		changes []orchestrator.Change
		target  string
		refused string // paths, joined
	}{
		"plain changes":                    {[]orchestrator.Change{change("a", none, reg), change("b", reg, none), change("c", reg, exec), change("l", none, sym)}, "a", ""},
		"below .git":                       {[]orchestrator.Change{change(".git/hooks/x", none, exec), change("a", none, reg)}, "", ".git/hooks/x"},
		"new submodule":                    {[]orchestrator.Change{change("s", none, sub)}, "", "s"},
		"submodule moved":                  {[]orchestrator.Change{change("s", sub, sub)}, "", "s"},
		"submodule removed":                {[]orchestrator.Change{change("s", sub, none)}, "", "s"},
		"setuid":                           {[]orchestrator.Change{change("x", none, 0o104755)}, "", "x"},
		"group-writable":                   {[]orchestrator.Change{change("x", reg, 0o100664)}, "", "x"},
		"a tree for a file":                {[]orchestrator.Change{change("x", none, 0o040000)}, "", "x"},
		"link out":                         {[]orchestrator.Change{change("l", none, sym)}, "../x", "l"},
		"link away is only removed":        {[]orchestrator.Change{change("l", sym, none)}, "../x", ""},
		"link for .gitmodules":             {[]orchestrator.Change{change(".gitModules", none, sym)}, "a", ".gitModules"},
		"link for a directory written to":  {[]orchestrator.Change{change("d", none, sym), change("d/f", none, reg)}, "e", "d d/f"},
		"file for a directory written to":  {[]orchestrator.Change{change("d", none, reg), change("d/e/f", none, reg)}, "", "d d/e/f"},
		"link for a directory emptied":     {[]orchestrator.Change{change("d", none, sym), change("d/f", reg, none)}, "e", ""},
		"directory for a file":             {[]orchestrator.Change{change("d", reg, none), change("d/f", none, reg)}, "", ""},
		"new names collide":                {[]orchestrator.Change{change("Foo", none, reg), change("foo", none, reg)}, "", "foo"},
		"new name collides with old":       {[]orchestrator.Change{change("A", none, reg), change("a", reg, reg)}, "", "A"},
		"old names collide since ever":     {[]orchestrator.Change{change("A", reg, reg), change("a", reg, reg)}, "", ""},
		"directories collide":              {[]orchestrator.Change{change("D/x", none, reg), change("d/y", none, reg)}, "", "d/y"},
		"case of a name is changed":        {[]orchestrator.Change{change("Foo", reg, none), change("foo", none, reg)}, "", ""},
		"collides by a letter of no width": {[]orchestrator.Change{change("a", none, reg), change("a\u200d", none, reg)}, "", "a\u200d"},
		"collides in another alphabet":     {[]orchestrator.Change{change("СТРАХ", none, reg), change("страх", none, reg)}, "", "страх"},
		"a new hook":                       {[]orchestrator.Change{change(".husky/pre-commit", none, exec), change("hooks/lib", none, reg), change("src/x", none, exec)}, "", ".husky/pre-commit"},
		"a hook is switched on":            {[]orchestrator.Change{change("tools/.GitHooks/pre-push", reg, exec), change(".githooks/old", exec, exec)}, "", "tools/.GitHooks/pre-push"},
		"a hook is edited":                 {[]orchestrator.Change{edited(".husky/pre-push"), edited("src/x")}, "", ".husky/pre-push"},
		"a hook where git is told":         {[]orchestrator.Change{change("tools/run/pre-push", none, exec), change("tools/runs", none, exec)}, "", "tools/run/pre-push"},
		"a name that rings the bell":       {[]orchestrator.Change{change("a\a", none, reg)}, "", "a\a"},
		"a name that turns text round":     {[]orchestrator.Change{change("x\u202egpj.sh", none, reg)}, "", "x\u202egpj.sh"},
		"an odd name is only removed":      {[]orchestrator.Change{change("a\n", reg, none), change("b\n", reg, reg)}, "", ""},
		"other bytes that are not UTF-8":   {[]orchestrator.Change{change("\xff", none, reg), change("\xfe", none, reg)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := hostile(c.changes, setting{target: func(orchestrator.Change) (string, error) { return c.target, nil }, hooks: []orchestrator.Path{"tools/run"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, f := range found {
				paths = append(paths, string(f.Path))
				if f.Reason == "" {
					t.Errorf("%s has no reason", f.Path)
				}
			}
			if got := strings.Join(paths, " "); got != c.refused {
				t.Errorf("refused %q, want %q (%v)", got, c.refused, found)
			}
		})
	}
}

func TestAnUnreadableTargetIsAnErrorNotAPass(t *testing.T) {
	t.Parallel()
	link := orchestrator.Change{FileChange: orchestrator.FileChange{Path: "l", New: orchestrator.Entry{Mode: orchestrator.ModeSymlink, ID: "1"}}}
	broken := errors.New("object missing")
	if _, err := hostile([]orchestrator.Change{link}, setting{target: func(orchestrator.Change) (string, error) { return "", broken }}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestADangerIsTakenOnByNameAndOnlyThatOne(t *testing.T) {
	t.Parallel()
	one := orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: "1"}
	add := func(p orchestrator.Path, mode orchestrator.FileMode) orchestrator.Change {
		return orchestrator.Change{FileChange: orchestrator.FileChange{Path: p, New: orchestrator.Entry{Mode: mode, ID: one.ID}}}
	}
	for danger, changes := range map[orchestrator.Danger][]orchestrator.Change{
		orchestrator.DangerHook:  {add(".husky/pre-push", orchestrator.ModeExec)},
		orchestrator.DangerLink:  {add("out", orchestrator.ModeSymlink)},
		orchestrator.DangerNames: {add("a\x1b[2J", one.Mode)},
		orchestrator.DangerCase:  {add("A", one.Mode), add("a", one.Mode)},
	} {
		target := func(orchestrator.Change) (string, error) { return "/etc/passwd", nil }
		for _, allowed := range orchestrator.Dangers() {
			found, err := hostile(changes, setting{target: target}, []orchestrator.Danger{allowed})
			if err != nil || (len(found) == 0) != (allowed == danger) {
				t.Errorf("%s with %s allowed: %v %v", danger, allowed, found, err)
			}
			for _, f := range found {
				if f.Danger != danger || !strings.Contains(f.Reason, "--allow "+string(danger)) {
					t.Errorf("%s is told as %+v", danger, f)
				}
			}
		}
	}
}
