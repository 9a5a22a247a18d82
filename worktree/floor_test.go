package worktree_test

import (
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAGitThatIsTooOldIsRefused(t *testing.T) {
	for version, code := range map[string]orchestrator.Code{
		"git version 2.37.7":                 orchestrator.CodeInvalid,
		"git version 1.8.3.1":                orchestrator.CodeInvalid,
		"git version 2.38.0":                 "",
		"git version 2.39.5 (Apple Git-154)": "",
		"git version 3.0.0":                  "",
		"git version 2.51.0.rc1.windows.1":   "",
		"this is no git":                     orchestrator.CodeUnverified,
	} {
		t.Run(version, func(t *testing.T) {
			f := newFixture(t)
			f.commit()
			wrapper := &gitWrapper{script: `case "$*" in *" version") echo "` + version + `"; exit;; esac` + "\n"}
			opts := f.opts
			wrapper.install(t)(&opts)
			_, err := mustNew(t, opts).Checkout(t.Context(), f.repo)
			if err == nil != (code == "") || err != nil && orchestrator.CodeOf(err) != code {
				t.Errorf("error %v", err)
			}
			if err != nil && !strings.Contains(orchestrator.HintOf(err), "2.38") {
				t.Errorf("hint %q", orchestrator.HintOf(err))
			}
		})
	}
}

func TestTheVersionIsAskedOnce(t *testing.T) {
	wrapper := &gitWrapper{script: `case "$*" in *" version") echo x >>"$COUNT";; esac` + "\n"}
	f := newFixture(t, wrapper.install(t))
	f.commit()
	for range 3 {
		if _, err := mustNew(t, f.opts).Checkout(t.Context(), f.repo); err != nil {
			t.Fatal(err)
		}
	}
	if asked, err := os.ReadFile(wrapper.dir + "/count"); err != nil || string(asked) != "x\n" {
		t.Errorf("asked %q, %v", asked, err)
	}
}
