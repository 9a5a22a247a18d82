// Package proc starts agents and sees to it that nothing of them outlives the
// boo that started them. It needs Linux: /proc, subreapers, pidfds.
//
// It promises:
//
//   - Whatever ends boo, SIGKILL and a crash included, every process that an
//     agent started, however deeply forked and in whatever session, is gone
//     within seconds.
//   - No signal ever goes to a process outside the agent's tree. A process is
//     known by boot id, pid and start time together, never by a name or by a
//     pid alone.
//   - An agent gets three pipes as its descriptors 0, 1 and 2, in blocking
//     mode, and no other descriptor. Its standard error is always drained.
//   - [Launcher.Launch] leaves nothing running when it returns an error.
//
// It refuses to know what an agent is, what it says and why it is started.
//
// # How
//
// Launch runs boo's own binary a second time, as "boo-supervisor" in a session
// of its own, so that a Ctrl-C at the terminal does not reach the agent. The
// supervisor adopts orphans below it (subreaper), starts the agent, and holds
// the read end of a pipe whose write end only the launching process has. That
// pipe carries the command to run and orders to end, and its end of file means
// that the launching process is dead. A second pipe goes back with reports.
//
//	          agent exec'd            order, end of file, SIGTERM,
//	                                  or the main process is gone
//	waiting ──────────────▶ running ─────────────────────────────▶ ending
//	   │                       │                                      │
//	   │ exec fails            │ no child left          no child left │
//	   ▼                       ▼                                      │
//	refused                  gone ◀───────────────────────────────────╯
//
// ending: TERM to everything once, KILL to everything when the grace is over:
// what the order says, 2 s when the launching process is gone, 0.5 s for what
// outlives the main process. gone: the exit status is reported.
//
// The supervisor is done when it has no child left: everything below it is its
// child in the end, so nothing can be missed and no list has to be kept.
//
// # When the supervisor itself is killed
//
// The agent's main process dies with it (parent death signal). The launching
// process notices, and before it reaps the dead supervisor, which keeps the
// number of that session from being used again, it ends all that is in the
// session, all that carries the run's tag (BOO_RUN) in its environment, and
// the descendants of both. What had left the session and cleared its
// environment and lost its parent, all before that moment, is not found then.
//
// When the launching process was killed together with the supervisor, its
// sentinel ends the rest by the tag alone. That is one more process, "boo-sentinel",
// which the first Launch starts, and which holds the read end of a pipe of its
// own. At the end of file it waits for the supervisors that live, 2.5 s at most,
// ends all that carries a tag of that launching process, and is done. Where it
// was killed too, a later boo does that; see [Table.EndStrays].
//
// # Failure
//
// An agent that cannot be executed is an *orchestrator.Error of code agent
// that says why. What cannot be killed (it runs as another user, or hangs in
// the kernel) makes End and EndStrays fail after some seconds, naming the pids.
package proc
