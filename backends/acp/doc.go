// Package acp speaks the Agent Client Protocol, version 1, with an agent that
// runs as a child process: JSON-RPC 2.0, one message per line, over its
// standard input and output.
//
// It promises:
//
//   - Backpressure instead of queues: one goroutine reads the agent's output
//     and passes every update on, in order, before it reads further. A flood of
//     updates costs time, never memory, never the connection. A line may be 64
//     MiB long.
//   - The answer to a prompt is delivered after every update that was read
//     before it, and no event is passed on after Prompt has returned.
//   - Nothing waits for ever for an agent: writing, the handshake, opening a
//     session and loading one have deadlines, and when one passes, or the
//     agent's process ends, the error says how.
//   - What it does not know it keeps: an update of an unknown kind becomes an
//     event with its raw form. What is not the protocol (banners, half lines,
//     answers to nothing) is counted, and its tail is told with an error.
//   - No message is logged. Errors carry at most the tails of what the agent
//     wrote beside the protocol.
//
// It refuses to know any agent by name: departures from the protocol are data
// in the agent's definition. It offers agents neither files nor terminals.
//
// An agent that fails is CodeAgent; if its process ended in mid-turn the error
// wraps orchestrator.ErrAgentDied.
//
// # Opening a session
//
//	launch ─▶ initialize ─▶ resume ──▶ set mode and model ─▶ ready
//	                │         │ not known       ▲
//	                │         ▼                 │
//	                ├──────▶ load ──────────────┤
//	                │         │ not known,      │
//	                │         ▼ or empty        │
//	                ╰──────▶ new ───────────────╯
//
// A session is not known if the agent's error says so, or if the error says
// something else and the agent's list of sessions (session/list) lacks it. A
// session is put away with session/close, where there is that, before its
// process ends.
//
// # One turn
//
//	Prompt ─▶ writing ─▶ running ────────────────────────▶ answered
//	                        │ Stop, or ctx ends               ▲
//	                        ▼                                 │
//	                   cancelling (session/cancel, open ──────┤
//	                        │      permissions cancelled)     │
//	                        ▼ grace over                      │
//	                   process tree ended ──▶ cancelled       │
//	                                                          │
//	output ends in mid-turn ──▶ ErrAgentDied, unless the answer was before it
package acp
