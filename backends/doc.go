// Package backends knows the coding agents: what each one is called, where its
// program is found, which environment it gets, and how a session with it is
// brought about. [Registry] is the orchestrator's port to them where nothing
// outlives a turn, [Pool] where sessions stay warm in between.
//
// It promises:
//
//   - An agent is data ([Definition]): the built-in ones and those of the
//     person's configuration go the same way, and no code asks for a name.
//   - An agent's environment is built from an allow-list. Nothing of boo's own
//     and no variable that the definition does not name reaches it.
//   - [Registry.Start] and [Registry.Doctor] leave no process behind when they
//     return an error.
//
// It refuses to know how processes are supervised and what is said on the
// wire: it reaches both through [Launcher] and [Protocol], which the program
// hands in. It installs nothing, it only knows where an installation would be.
//
// An agent that does not exist is CodeNotFound; one that exists but cannot be
// started is CodeAgent. Both carry the command that mends it.
//
// # Finding a program
//
//	command of the configuration ──▶ PATH ──▶ boo's own directory
//
// The first that is set decides: a configured command that is not there is an
// error, not a reason to take another program.
//
// A program in boo's own directory that needs node runs on the node beside it,
// if one was installed because the machine's is too old; see [Node].
// # The pool
//
// An agent of the pool holds one warm session, or, where its definition allows
// and it advertises that sessions can be put away and brought back one by one,
// those of several chats. It goes through:
//
//	Start                   Release
//	  ╰──▶ busy for one chat ◀────▶ free ──╮ idle for too long, least recently
//	         │              Start          │ used of too many, too much memory,
//	         │ Close (a stop, a failure),  │ Evict, or it ended by itself
//	         ▼ no session came about       ▼
//	       ending ◀────────────────────────╯──▶ gone
//
// One mutex guards all states, and only ending is left without it: whoever
// finds an agent ending waits until it is gone, so that a turn never meets an
// eviction. Nothing looks around while nothing happens: a timer is set for the
// agent whose time is over next, and memory is weighed after turns.
//
// It promises:
//
//   - One start at a time for a chat and an agent, and one turn at a time in an
//     agent, unless its definition says that it takes several: such an agent is
//     busy until the last of them is over, and there is only one of it. What is busy, which includes waiting for a permission, is never
//     evicted; nor is what another process could not bring back.
//   - A warm session is used for the same model, mode, directory, program and
//     environment only, and only if it has had every turn that the agent took in
//     the chat. Else it is put away, and brought back.
//   - A stop leaves nothing behind: a session ends with its agent's process, and
//     its neighbours in there are brought back when they are needed. An agent of
//     several turns at once ends what one of them started itself, and lives on.
//   - What a turn leaves running (a server it started, say) goes on while the
//     session is warm, is counted by Live, and ends with the agent.
//   - An agent that ends between two turns is noticed at once, and all its
//     sessions are told. After three crashes in ten minutes a session is not
//     started for five, and after five in two minutes an agent that all chats
//     share is not for one; the error says so. Who restarts the agent by name
//     need not wait.
package backends
