package worktree_test

import (
	"path/filepath"
	"slices"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

func TestARepositoryTellsOfBoosWorktreesOnly(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	f.git(f.repo, "worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "mine"))
	f.git(f.repo, "worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "c000000000")) // looks like boo's
	got, err := f.engine.Registrations(wt.CommonDir)
	if want := []worktree.Registered{{Chat: wt.Chat, Dir: string(wt.Dir)}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if none, err := f.engine.Registrations(orchestrator.GitDir(t.TempDir())); err != nil || none != nil {
		t.Errorf("where there is no repository: %v, %v", none, err)
	}
}

func TestRemotesThatTakeEveryRefAreFound(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.worktree()
	if none, err := f.engine.Mirrors(t.Context(), wt.CommonDir); err != nil || none != nil {
		t.Errorf("%v, %v", none, err)
	}
	for key, value := range map[string]string{"remote.a.b.mirror": "yes", "remote.plain.mirror": "off", "remote.backup.mirror": "true"} {
		f.git(f.repo, "config", key, value)
	}
	got, err := f.engine.Mirrors(t.Context(), wt.CommonDir)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"a.b", "backup"}) {
		t.Errorf("%v, %v", got, err)
	}
}
