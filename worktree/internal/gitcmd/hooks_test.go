package gitcmd_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/worktree/internal/gitcmd"
)

// fakeGit says that it is of a version, has hooks in its configuration, and shows
// the environment of any other command.
func fakeGit(t *testing.T, version string, environ ...string) *gitcmd.Git {
	return gitcmd.New(script(t, `case " $* " in
*" version "*) echo "git version `+version+`" ;;
*" config "*) printf 'core.bare\0hook.lint.command\0hook.lint.event\0hook.a.b = C.event\0hook.jobs\0' ;;
*) env | sort ;;
esac`), append([]string{"PATH=/usr/bin:/bin"}, environ...))
}

func settings(t *testing.T, git *gitcmd.Git, c gitcmd.Call) (set []string) {
	t.Helper()
	c.Args = []string{"update-ref"}
	out, err := git.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out.Stdout)) {
		if strings.HasPrefix(line, "GIT_CONFIG_") && !strings.HasPrefix(line, "GIT_CONFIG_NOSYSTEM") && !strings.HasPrefix(line, "GIT_CONFIG_GLOBAL") {
			set = append(set, strings.TrimSpace(line))
		}
	}
	return set
}

// Git 2.54 runs hooks that a configuration file names, and only their names turn
// them off.
func TestHooksInConfigurationAreTurnedOffByName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo.git")
	off := []string{
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=hook.a.b = C.enabled", "GIT_CONFIG_KEY_1=hook.lint.enabled",
		"GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_VALUE_1=false",
	}
	for version, want := range map[string][]string{"2.39.5": nil, "2.54.0": off, "2.54.1.windows.1": off, "2.55.0": nil} {
		if got := settings(t, fakeGit(t, version), gitcmd.Call{GitDir: dir}); !slices.Equal(got, want) {
			t.Errorf("git %s is told %q, want %q", version, got, want)
		}
	}
	if got := settings(t, fakeGit(t, "2.54.0"), gitcmd.Call{GitDir: dir, Objects: dir + "/objects"}); got != nil {
		t.Errorf("in a directory of boo's own, git is told %q", got)
	}
}

// What the person sets for git in their environment stays.
func TestHooksAreTurnedOffBesideThePersonsOwnSettings(t *testing.T) {
	git := fakeGit(t, "2.54.0", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.proxy", "GIT_CONFIG_VALUE_0=p")
	want := []string{
		"GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=http.proxy", "GIT_CONFIG_KEY_1=hook.a.b = C.enabled", "GIT_CONFIG_KEY_2=hook.lint.enabled",
		"GIT_CONFIG_VALUE_0=p", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_VALUE_2=false",
	}
	if got := settings(t, git, gitcmd.Call{GitDir: t.TempDir(), Network: true}); !slices.Equal(got, want) {
		t.Errorf("git is told %q, want %q", got, want)
	}
}
