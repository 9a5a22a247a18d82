package worktree_test

import (
	"maps"
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

func TestARepositoryTellsOfWorktreesThatAreHalfMade(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	half := filepath.Join(t.TempDir(), "half")
	f.git(f.repo, "worktree", "add", "-q", "--detach", half)
	f.git(f.repo, "worktree", "add", "-q", "--detach", "--lock", filepath.Join(t.TempDir(), "kept"))
	if none, err := f.engine.HalfMade(wt.CommonDir); err != nil || len(none) > 0 {
		t.Errorf("%v, %v", none, err)
	}
	f.write(f.repo+"/.git/worktrees/half/locked", "initializing") // as a git that is killed leaves it
	got, err := f.engine.HalfMade(wt.CommonDir)
	if err != nil || !maps.Equal(got, map[string]string{"half": half}) {
		t.Errorf("%v, %v", got, err)
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
