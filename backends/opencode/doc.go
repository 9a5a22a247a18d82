// Package opencode speaks with one long-lived "opencode serve": HTTP requests,
// and one stream of server-sent events for all sessions.
//
// It promises:
//
//   - The server is boo's own: started here, on loopback, on a port that its own
//     ready line names, with a password that was made for it. No other server
//     is ever spoken to.
//   - The commands that agents run do not find that password in their
//     environment. Where the person configures opencode by a variable that is not
//     plain JSON, no server is started.
//   - A session that is closed is put away, and stays in the server's store; one
//     that is forgotten is deleted there.
//   - A turn ends once, and only by what the server itself has recorded about
//     the prompt of that turn. No terminal event of another turn settles it:
//     an event is a reason to look, never the answer.
//   - No prompt is sent before the stream is live, nor while an abort is out. An
//     abort that is out for 10 s and more costs a server that does nothing else its
//     life; one at work for others is waited for.
//   - Text is passed on once: a piece that the stream lost is filled in from the
//     whole part, and a part that was streamed is not repeated.
//   - The server is taken for hung only when it is silent on the stream and does
//     not answer either.
//
// It refuses to know how processes are supervised, and what is done with
// events. It offers the agent nothing but its own tools.
//
// An agent that fails is CodeAgent; where the server ended in mid-turn the error
// wraps orchestrator.ErrAgentDied.
//
// # The server
//
//	launch ─▶ ready line ─▶ healthy ─▶ live ◀──▶ deaf (stream lost: back-off,
//	            │ 30 s         │ 10 s    │          │   reconnect, reconcile)
//	            ▼              ▼         ▼          ▼ silent and unhealthy, often
//	          ended ◀──────────┴──── Close, exit ◀──╯
//
// A server that ended or was late before it was live is started again, three
// times in all, unless it said that its configuration is at fault. One that was
// live is started again with the next turn; how often, the pool decides.
//
// # One turn
//
// The prompt carries a message id of boo's choice. Everything that is not about
// it or about an answer to it is stale, and dropped.
//
//	sent ─▶ fence closed ─▶ own message seen ─▶ open ─▶ idle? ─▶ look ─▶ ended
//	             │                               ▲  │             │
//	             │ 30 s: look                    ╰──┼─ not yet ◀──┤
//	             ▼                                  ▼             │
//	      not there: again, failed        Stop: abort, grace ─────╯
//
// A prompt that the server leaves without an answer is handed over a second
// time, with the same ids: the server has it once. So is one that waited behind a
// stopped prompt which the server began with seconds too late, where the abort of
// that took it along before it said anything.
//
// To look is to ask the server whether the session is busy, and for its last
// messages: it is idle, and the newest answer to the prompt is completed or has
// failed.
//
// # Events
//
// One table, in decode.go, says which events are understood. All others are
// counted, as are those of sessions and turns that are not boo's any more.
package opencode
