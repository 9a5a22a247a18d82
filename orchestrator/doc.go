// Package orchestrator is boo's vocabulary and its rules: chats, turns, agent
// sessions, events, pending changes, their states and errors, and the use
// cases that move them.
//
// It promises:
//
//   - A prompt is in the store before a byte of it goes to an agent, and goes
//     to the agent at most once.
//   - A turn ends in exactly one terminal state; whatever ends it, the files
//     in the chat's worktree are snapshotted and become pending changes.
//   - One goroutine in one process owns a chat at a time.
//
// It refuses to know SQL, git, processes, protocols and terminals: it reaches
// them through the interfaces in ports.go, and imports nothing of boo.
//
// Every error that leaves the package is an [*Error] or wraps one; its [Code]
// decides the exit status of the program and the status of an HTTP answer.
//
// # Turn
//
//	queued ──▶ accepted ──▶ running ──▶ completed
//	   │           │          │  ╲────▶ failed | halted
//	   │           │          ▼
//	   │           │      cancelling ─▶ cancelled
//	   ▼           ▼          ▼
//	cancelled | interrupted (the owner died)
//
// queued: the prompt is on disk and waits for the chat. accepted: the chat's
// owner took it and is making the worktree and the session ready. running:
// bytes were sent to the agent. A turn never leaves a terminal state and
// never runs a second time.
//
// # Worktree
//
//	creating ──▶ active ──▶ closing ──▶ archived ──▶ purged
//	               ╰─────▶ lost ─────▶ active
//
// # Pending change
//
//	pending ──▶ superseded | applied | rejected | conflict
//	applied ──▶ reverted
//
// # Checkpoint
//
//	in_progress (before a tool call) ──▶ in_progress ──▶ …
//	        ╰──▶ completed | failed | halted | in_progress, cut off (a turn's end)
//
// The steps of a session are numbered without gaps, each stored if it follows on
// the newest one; a reset begins a new generation. What was completed is over;
// what was cut off the agent is told of, once, with the calls whose outcome
// nobody knows; what has failed or was halted goes on when that is asked for.
package orchestrator
