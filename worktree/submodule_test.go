package worktree_test

import (
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestSubmodulesAreFilledFromTheLocalClone(t *testing.T) {
	f := newFixture(t)
	withSubmodule(f)
	base := f.commit()
	f.git(f.repo, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
	modules, _ := os.ReadDir(f.repo + "/.git/modules")
	if len(modules) == 0 {
		t.Fatal("the person's repository has no clone")
	}
	hooks := f.repo + "/.git/modules/" + modules[0].Name() + "/hooks/post-checkout"
	f.write(hooks, "#!/bin/sh\ntouch '"+f.root+"/sprung'\n")
	f.chmod(hooks, 0o755)
	check := f.untouched()
	wt, warnings := f.furnished(base, orchestrator.FurnishRequest{})
	check()
	if len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	sub := string(wt.Dir) + "/sub"
	if got, want := f.git(sub, "rev-parse", "HEAD"), f.git(f.repo, "rev-parse", "HEAD:sub"); got != want {
		t.Errorf("the submodule is at %s, want %s", got, want)
	}
	if f.git(sub, "ls-files") == "" {
		t.Error("the submodule has no files")
	}
	for _, dir := range []string{sub, string(wt.Dir)} {
		if status := f.git(dir, "status", "--porcelain"); status != "" {
			t.Errorf("%s is not clean: %s", dir, status)
		}
	}
	if _, err := os.Lstat(f.root + "/sprung"); err == nil {
		t.Error("a hook of the clone ran")
	}
	snap := f.snapshot(wt)
	if got := f.git(f.repo, "diff-tree", "-r", "--name-only", string(base), string(snap.Commit)); got != "" {
		t.Errorf("the snapshot differs in %s", got)
	}
}

func TestSubmoduleWithoutACloneIsNamed(t *testing.T) {
	f := newFixture(t)
	withSubmodule(f)
	base := f.commit()
	f.remove(f.repo + "/.git/modules")
	_, warnings := f.furnished(base, orchestrator.FurnishRequest{})
	if len(warnings) != 1 || !strings.Contains(warnings[0], "submodule sub is left empty: ") {
		t.Errorf("warnings %q", warnings)
	}
}

// What a submodule has is no snapshot's: neither its files, nor what was committed in
// it, also when its directory was emptied since.
func TestASubmoduleIsKeptUntilItIsEmptied(t *testing.T) {
	f := newFixture(t)
	withSubmodule(f)
	base := f.commit()
	f.git(f.repo, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
	wt, _ := f.furnished(base, orchestrator.FurnishRequest{})
	dir := string(wt.Dir)
	risk := func() string {
		t.Helper()
		f.snapshot(wt)
		all := f.engine.Risks(t.Context(), wt.CommonDir, []orchestrator.Worktree{wt}, func(orchestrator.ChatID) bool { return true })
		var found []string
		for _, r := range all[wt.Chat].Risks {
			found = append(found, string(r.Kind)+": "+r.Detail)
		}
		return strings.Join(found, "\n")
	}
	if got := risk(); !strings.HasPrefix(got, "unrecorded: sub in the worktree") || !strings.Contains(got, "is a submodule") {
		t.Errorf("with its files: %s", got)
	}
	f.remove(dir + "/sub")
	f.mkdir(dir + "/sub")
	if got := risk(); got != "" {
		t.Errorf("emptied: %s", got)
	}
	f.git(dir, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
	f.git(dir+"/sub", "commit", "-q", "--allow-empty", "-m", "of the agent")
	f.remove(dir + "/sub")
	f.mkdir(dir + "/sub")
	if got := risk(); !strings.Contains(got, "has objects of its own") {
		t.Errorf("with a commit: %s", got)
	}
}
