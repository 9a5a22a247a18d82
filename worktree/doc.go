// Package worktree is everything that boo does with git: it makes the linked
// worktrees of chats, records what is in them, compares and merges trees, and
// reads and writes single files of the person's checkout by git's rules.
//
// It promises:
//
//   - Git run by boo never runs anything that a repository or a tree names:
//     no hook, monitor, textconv, driver or transport, no filter but the
//     person's own Git LFS, and no second git inside a nested repository. What an agent has put into its worktree
//     is only ever read.
//   - The index, HEAD and the branches of a checkout, the person's or an
//     agent's, are never written after the worktree has been made.
//   - When Snapshot returns, the objects and the ref are on disk, and no
//     garbage collection takes them.
//   - What cannot be recorded is named, and the rest is recorded.
//
// It refuses to know turns, agents and the store; it neither decides when a
// worktree is made nor when it goes.
//
// # How git is kept blind
//
// Package internal/gitcmd builds every command. Where files of a tree are
// looked at, git is given a git directory of boo's own, with the object store
// of the repository and a private index:
//
//	<Dir>/chats/<chat>/git    rules carried over when the worktree was made
//	<Dir>/chats/<chat>/index  stays at the base; a snapshot changes a copy
//	<Dir>/chats/<chat>/newest   the snapshot before, and the files in which it
//	                            differs from the base; newest.was is to be written next
//	<Dir>/chats/<chat>/keep     what the .keep files of its packs are further names of
//	<Dir>/checkouts/<hash>    the person's checkout, rules as they are now
//	<Dir>/plain/<hash name>   objects only
//	<Dir>/packs/<hash>/       names of the packs that boo has put into a repository
//	<Dir>/chats/<chat>/spare    while it is nobody's: what proves that it is as it was left
//	<common>/lfs/boo/<chat>/  what a chat has recorded with Git LFS, out of the
//	                          reach of "git lfs prune"
//	<Dir>/blame/<chat>/       whom lines were blamed on, file by file; may go at any time
//
// so neither the repository's configuration, which an agent can write, nor
// the .git file in the tree is on the way. Only refs and revisions are looked
// up in the repository itself.
//
// # What git is not needed for
//
// Files that are their objects, byte for byte, are written and recorded in
// process: a worktree is copied from the person's checkout as far as that is
// proven to hold the base, and a snapshot is one scan, one pack and one ref.
// Only what is ignored git says. Wherever conversions, submodules, repositories
// in the tree, odd names or limits come in, git does the whole of it: the
// answer is the same, only slower.
//
//	index at the base ─▶ treescan ─▶ ignored? ─▶ read ─▶ trees ─▶ pack ─▶ ref
//	                        ╰───────────┴──────────┴───────┴─▶ git instead
//
// While a turn runs its worktree is watched, so that the scan can be left out:
// what was touched is read, and the rest is as it was. A scan follows, and puts
// another snapshot in the place of one that was wrong. Between turns a watch may
// rest: then it is some memory and the kernel's watches, without a process or an
// open file, and tells the next turn what the person did meanwhile.
//
// # Refs
//
//	refs/boo/chats/<chat>/base      the base commit
//	refs/boo/chats/<chat>/baseline  what pending changes are measured against
//	refs/boo/chats/<chat>/head      the chain of snapshots, from the base on
//	refs/boo/bases/<commit>         a base made or fetched for a chat, until its worktree is made
//	refs/boo/chats/<chat>/worktree-head  where HEAD of the worktree is, if not at the base
//	refs/boo/chats/<chat>/left/<commit>  where HEAD was, and what is not part of where it is
//	refs/boo/chats/<chat>/archive       what no snapshot has, of a worktree that is archived
//	refs/boo/root                   the start in a repository without commits
//
// # A worktree while it is made
//
//	refs ──▶ registered, locked ──▶ directory ──▶ files ──▶ indexes
//	  ╰────────────┴───────────────────┴────────────┴──▶ cleared away
//
// Every step before the last leaves something that the next Create for the
// same chat recognises and clears.
//
// Errors for people are [orchestrator.Error]; a [GitError] is in the chain of
// those that come from git.
package worktree
