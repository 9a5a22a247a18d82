// Package reaper takes worktrees off the disk, and brings them back.
//
// It promises:
//
//   - Before a byte of a worktree is removed, all of it that git can hold is
//     reachable from refs of boo's, and was read back.
//   - A worktree goes by a rename, at once, into a trash on the same file system;
//     what was changed until then shows, and brings it back.
//   - Only boo's own are touched: below its root after links are resolved, with
//     the link and the registration that boo gave them, and with nothing mounted.
//   - Wherever it is cut off, Settle takes back what was not decided and finishes
//     what was; a second one changes nothing.
//
// It refuses to know chats, turns and risks: whether a worktree may go is judged
// by who calls it, under the chat's lock.
//
// # An archive
//
//	row active ── <trash>/<chat>/ ── row closing ── renamed to <trash>/<chat>/tree
//	    ▲                                                 │ kept, read back
//	    ╰───────────────── taken back ────────────────────┤
//	                                                 row archived
//	                                                      │ unregistered
//	                                            <trash>/dead-…  ── bytes removed
//
// The row decides: up to closing everything is taken back, from archived on it
// is finished. Errors for people are [orchestrator.Error].
package reaper
