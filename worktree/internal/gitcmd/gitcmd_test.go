package gitcmd_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/worktree/internal/gitcmd"
)

// script makes a git of the test's own.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEnvironmentIsMadeFromNothing(t *testing.T) {
	t.Setenv("GIT_DIR", "/elsewhere")
	t.Setenv("SECRET", "s")
	person := []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/ada", "GIT_WORK_TREE=/x", "GIT_EXTERNAL_DIFF=/bin/evil", "TOKEN=t"}
	git := gitcmd.New(script(t, "env"), person)
	names := func(c gitcmd.Call) []string {
		out, err := git.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for line := range strings.Lines(string(out.Stdout)) {
			name, _, _ := strings.Cut(line, "=")
			list = append(list, name)
		}
		return list
	}
	for _, c := range []gitcmd.Call{{}, {Personal: true}, {Index: "/i", Objects: "/o", Refresh: true}} {
		got := names(c)
		for _, never := range []string{"GIT_DIR", "SECRET", "GIT_WORK_TREE", "GIT_EXTERNAL_DIFF", "TOKEN"} {
			if slices.Contains(got, never) {
				t.Errorf("%+v: %s is passed on", c, never)
			}
		}
		if slices.Contains(got, "HOME") != c.Personal || slices.Contains(got, "GIT_CONFIG_NOSYSTEM") == c.Personal {
			t.Errorf("%+v: environment is %v", c, got)
		}
		if slices.Contains(got, "GIT_OPTIONAL_LOCKS") == c.Refresh || slices.Contains(got, "GIT_INDEX_FILE") != (c.Index != "") {
			t.Errorf("%+v: environment is %v", c, got)
		}
	}
}

func TestErrorTellsWhatWentWrong(t *testing.T) {
	git := gitcmd.New(script(t, "echo out; echo 'warning: w' >&2; echo 'fatal: the reason' >&2; echo trailing >&2; exit 7"), nil)
	out, err := git.Run(t.Context(), gitcmd.Call{Args: []string{"do", "it"}})
	e, ok := errors.AsType[*gitcmd.Error](err)
	if !ok || e.ExitCode != 7 || e.Error() != "git do: the reason" || !slices.Equal(e.Args, []string{"do", "it"}) || !e.Says("trailing") {
		t.Errorf("error %#v", err)
	}
	if string(out.Stdout) != "out\n" {
		t.Errorf("the output is lost: %q", out.Stdout)
	}
}

func TestCancelledCommandNamesTheCause(t *testing.T) {
	cause := errors.New("the person went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	started := writerFunc(func([]byte) { cancel(cause) })
	git := gitcmd.New(script(t, "trap 'exit 3' TERM; echo started; while :; do read -r x; done < /dev/zero"), nil)
	_, err := git.Run(ctx, gitcmd.Call{Stdout: started})
	if !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestPipeThatBreaksSaysWhy(t *testing.T) {
	git := gitcmd.New(script(t, "read -r x; echo 'fatal: no more' >&2; exit 128"), nil)
	p, err := git.Open(t.Context(), gitcmd.Call{Args: []string{"cat-file"}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = p.Object("abc", 10)
	if e, ok := errors.AsType[*gitcmd.Error](err); !ok || e.Reason() != "no more" {
		t.Errorf("error %v", err)
	}
	if again := p.Close(); !errors.Is(again, err) {
		t.Errorf("closing again: %v", again)
	}
}

func TestObjectsOverTheLimitAreDropped(t *testing.T) {
	git := gitcmd.New(script(t, `while read -r id; do case $id in
big) printf 'big blob 5\n12345\n';; small) printf 'small blob 2\nok\n';; *) echo "$id missing";; esac; done`), nil)
	p, err := git.Open(t.Context(), gitcmd.Call{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		id, kind string
		size     int64
		content  []byte
	}{{"big", "blob", 5, nil}, {"small", "blob", 2, []byte("ok")}, {"none", "missing", 0, nil}} {
		kind, size, content, err := p.Object(want.id, 4)
		if err != nil || kind != want.kind || size != want.size || !bytes.Equal(content, want.content) {
			t.Errorf("%s is %s of %d bytes %q, %v", want.id, kind, size, content, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
