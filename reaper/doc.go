// Package reaper takes worktrees off the disk, and brings them back. It knows when
// the time of one has come, and clears away what commands that died have left.
//
// It promises:
//
//   - Before a byte of a worktree is removed, all of it that git can hold is
//     reachable from refs of boo's, and was read back.
//
//   - A worktree goes by a rename, at once, into a trash on the same file system;
//     what was changed until then shows, and brings it back. The files are looked
//     at for that, or the watch of a turn is asked, which goes with the rename.
//
//   - Only boo's own are touched: below its root after links are resolved, with
//     the link and the registration that boo gave them, and with nothing mounted.
//
//   - Wherever it is cut off, Settle takes back what was not decided and finishes
//     what was; a second one changes nothing.
//
//   - What cannot be found out, and what boo has not made, stays. A clock that was
//     set is not believed beyond that moment.
//
// It refuses to know how risk is judged: an [orchestrator.Keeper] does that, under
// the chat's lock, once for all candidates and again for each at its removal.
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
// is finished.
//
// # A sweep
//
// One process sweeps at a time, by a lock. [Rules.decide] is a pure function of
// what is cheap to know; what it lets through is looked at more closely:
//
//	rows ── decide ──▶ last use of the files ──▶ verdict ──▶ archived
//	           │                 │                  ╰──▶ held: again after 10 m, 20 m … 24 h
//	           │                 ╰── in use: left
//	           ├── its directory gone ──▶ row lost, refs stay
//	           ╰── half made ──▶ cleared
//
//	row archived ── retention, or room for others ──▶ row purged ── refs let go
//	                     ╰── holds what is nowhere else ──▶ held
//
// Then come directories without a row, registrations without a directory, stale
// locks, and the trash. What cannot be done about one thing is on record, and keeps
// nothing else from being done; the next sweep tries it again. Errors for people
// are [orchestrator.Error].
package reaper
