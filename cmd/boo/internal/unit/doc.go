// Package unit writes the files by which a service manager runs boo: units for
// systemd, property lists for launchd.
//
// It promises that whatever a path or a value of the environment holds is that
// path or value to the manager too, and nothing else: no directive, specifier or
// variable. What a manager has no way to be told is refused with
// orchestrator.CodeInvalid, and nothing is written.
//
// The units, and who starts what:
//
//	boo.service         the daemon; told to be ready, watched over, started again
//	boo-reaper.timer ─▶ boo-reaper.service    one sweep
//	boo-agent@NAME.service                    keeps the persistent chat NAME served
//
// It refuses to know where the files go, who reads them, and what the commands in
// them do.
package unit
