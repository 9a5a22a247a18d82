// Package backends knows the coding agents: what each one is called, where its
// program is found, which environment it gets, and how a session with it is
// brought about. [Registry] is the orchestrator's port to them.
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
package backends
