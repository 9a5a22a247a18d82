package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitIsJudgedByItsVersion(t *testing.T) {
	for version, want := range map[string]Level{
		"2.37.7": Fault, "1.9.5": Fault, "2.38.0": Note, "2.39.5": Note, "2.39.5 (Apple Git-154)": Note,
		"2.43.6": Note, "2.43.7": "", "2.48.1": Note, "2.49.1": "", "2.50.0": Note, "2.50.1": "", "2.50.1.windows.1": "",
		"2.51.0.rc1": "", "2.52.0": "", "3.0.0": "", "who knows": Warning,
	} {
		var l findings
		judgeGit(version, &l)
		var got Level
		if len(l) > 0 {
			got = l[0].Level
		}
		if got != want {
			t.Errorf("git %s: %q, want %q", version, got, want)
		}
	}
}

func TestLimitsOfWatchingAreComparedWithWhatIsNeeded(t *testing.T) {
	was := inotify
	inotify = t.TempDir()
	t.Cleanup(func() { inotify = was })
	if err := os.WriteFile(filepath.Join(inotify, "max_user_watches"), []byte("8192\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for need, found := range map[int64]bool{100: false, 8192: false, 8193: true} {
		var l findings
		limited("max_user_watches", need, "because", &l)
		limited("max_of_another_kernel", need, "because", &l)
		if (len(l) > 0) != found {
			t.Errorf("%d are needed: %+v", need, l)
		}
		if found && !strings.Contains(l[0].Try, "fs.inotify.max_user_watches=32772") {
			t.Errorf("it advises %s", l[0].Try)
		}
	}
}

func TestAnAdviceCanBePastedIntoAShell(t *testing.T) {
	for text, want := range map[string]string{"": "''", "/a/b-c.d": "/a/b-c.d", "a b": "'a b'", "it's; rm -rf $HOME": `'it'\''s; rm -rf $HOME'`, "é": "'é'"} {
		if got := shell(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestWhatCannotBeMendedStaysWrong(t *testing.T) {
	f := Finding{Level: Fault}
	f.Mend(t.Context())
	if f.Fixed || !f.Wrong() {
		t.Errorf("%+v", f)
	}
	f.mend = func(context.Context) error { return errors.New("no") }
	f.Mend(t.Context())
	if f.Fixed || !f.Wrong() || f.Problem != "no" {
		t.Errorf("%+v", f)
	}
	f.mend = func(context.Context) error { return nil }
	if f.Mend(t.Context()); !f.Fixed || f.Wrong() {
		t.Errorf("%+v", f)
	}
	if (Finding{Level: Note}).Wrong() {
		t.Error("a note is wrong")
	}
}
