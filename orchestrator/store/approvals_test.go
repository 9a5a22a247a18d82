package store_test

import (
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestApprovalsBelongToARepositoryAndAreTakenBackTogether(t *testing.T) {
	f := newFixture(t)
	other := mustRepo(t, f.Store, "/src/other/.git")
	first, second := strings.Repeat("1", 64), strings.Repeat("2", 64)
	for _, a := range []orchestrator.Approval{
		{Repo: f.repo.ID, Kind: orchestrator.WorktreeCommands, Digest: first},
		{Repo: f.repo.ID, Kind: orchestrator.WorktreeCommands, Digest: first}, // again
		{Repo: f.repo.ID, Kind: orchestrator.CheckCommands, Digest: second},
		{Repo: other.ID, Kind: orchestrator.CheckCommands, Digest: second},
	} {
		must(t, f.Approve(f.ctx, a))
	}
	list, err := f.Approvals(f.ctx, f.repo.ID)
	must(t, err)
	if len(list) != 2 || list[0].At.IsZero() {
		t.Errorf("approvals %+v", list)
	}
	if n, err := f.RevokeApprovals(f.ctx, f.repo.ID); n != 2 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if list, err := f.Approvals(f.ctx, other.ID); len(list) != 1 || err != nil {
		t.Errorf("the other repository's are %+v, %v", list, err)
	}
	wantCode(t, orchestrator.CodeNotFound, f.Approve(f.ctx, orchestrator.Approval{Repo: "rnone", Kind: orchestrator.CheckCommands, Digest: first}))
}

func TestEveryWorktreeHasPortsOfItsOwn(t *testing.T) {
	f := newFixture(t)
	chats := []orchestrator.ChatID{f.chat}
	for range 3 {
		chats = append(chats, mustChat(t, f.Store, f.repo, "goose").Chat)
	}
	ports := func() (list []int) {
		for _, chat := range chats {
			wt, err := f.Worktree(f.ctx, chat)
			must(t, err)
			list = append(list, wt.Port)
		}
		return list
	}
	if got, want := ports(), []int{20_000, 20_010, 20_020, 20_030}; !slices.Equal(got, want) {
		t.Errorf("ports %v, want %v", got, want)
	}
	// What is archived may be restored, and has its ports then; what is purged
	// is not.
	must(t, f.MoveWorktree(f.ctx, chats[1], []orchestrator.WorktreeState{orchestrator.WorktreeCreating}, orchestrator.WorktreeArchived, ""))
	must(t, f.MoveWorktree(f.ctx, chats[2], []orchestrator.WorktreeState{orchestrator.WorktreeCreating}, orchestrator.WorktreePurged, ""))
	chats = append(chats, mustChat(t, f.Store, f.repo, "goose").Chat, mustChat(t, f.Store, f.repo, "goose").Chat)
	if got, want := ports(), []int{20_000, 20_010, 20_020, 20_030, 20_020, 20_040}; !slices.Equal(got, want) {
		t.Errorf("ports %v, want %v", got, want)
	}
}

func TestWhatAWorktreeWasMadeOfIsKept(t *testing.T) {
	f := newFixture(t)
	must(t, f.SetSetup(f.ctx, f.chat, "digest"))
	if wt, err := f.Worktree(f.ctx, f.chat); err != nil || wt.Setup != "digest" {
		t.Errorf("worktree %+v, %v", wt, err)
	}
}
