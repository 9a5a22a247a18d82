// Package scriptedagent is a small agent that speaks ACP version 1 over stdio
// and does what the prompt says: also what a real agent cannot be made to do.
//
// It promises:
//
//   - Whatever no knob has been turned of is by the protocol, so that a backend
//     which works with it works with a well-behaved agent.
//   - A session is on disk after every message, and another process that is
//     given the same store loads it.
//
// It refuses to know boo; it is a program like any agent ([Main]), which test
// binaries play. It fails as the knobs say, and otherwise with a JSON-RPC error.
//
// # Arguments
//
//	--store DIR         keep sessions there (default: below XDG_DATA_HOME)
//	--initialize WAY    ok | wrong (answers with version 99) | never
//	--load WAY          ok | late (replays after the answer) | lying (knows
//	                    everything, replays nothing) | gone (knows no session)
//	                    | broken (fails otherwise) | none (not offered)
//	--resume            offer session/resume too
//	--banner N          begin with N lines that are no JSON
//
// # Script
//
// The language of package scriptedmodel (write, edit, run, plan, say, think,
// remember, recall, stream, flood, hang) and these steps:
//
//	noise N             N lines on stdout that are no JSON
//	unknown KIND        an update of a kind that nobody knows
//	cost N              the session has cost N USD until now
//	request METHOD      a request to the client, whose answer is said
//	ask [nowait]        a permission request, whose outcome is said; with nowait
//	                    the turn goes on without it
//	orphan              leave a process of another session behind that ignores
//	                    TERM; its process id is said
//	deaf                from here on ignore cancel, TERM and the end of stdin
//	mute                close stdout and live on
//	half CODE           write half a frame and exit
//	exit CODE           exit
//	die                 end by SIGKILL
//	fail CODE TEXT      answer the prompt with a JSON-RPC error
//	stop REASON         answer with this stop reason
//	duplicate           answer twice with the same id
//	trail N             N updates after the answer
//
// # One process
//
//	initialize ──▶ session/new | load | resume ──▶ prompt ──▶ answer
//	                                                 ▲  │        │
//	                                                 ╰──┴ cancel │
//	                                                 ╰───────────╯
//	end of stdin: what runs is cancelled, then exit 0
package scriptedagent
