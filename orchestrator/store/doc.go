// Package store keeps boo's state in one SQLite file. It is the truth: what is
// not in it did not happen. It holds the only SQL of the program.
//
// It promises:
//
//   - A method that returned nil has its effect on disk, through a loss of
//     power too, and one that returned an error has had none. Only
//     AppendEvents, SetBefore, what moves or stores a session, and MoveTurn
//     to a state other than running do not wait for the disk: what they stored
//     outlives the process at once, and the machine from the next other write
//     on, such as the one before a prompt is sent.
//   - Every state is one that the vocabulary knows, every reference leads to a
//     row, and no two rows claim what only one can have: the live turn of a
//     chat, the pending change of a path, the directory of a worktree. The
//     schema itself refuses anything else.
//   - Events of a chat are numbered from 1 without a gap, whoever writes them.
//   - Several processes may use the file at once. One that finds it locked
//     waits, for half a minute at most, and then says CodeBusy.
//
// It refuses to know what the rows are for: it decides no transition that is
// not in [orchestrator.TurnState.CanBecome] or asked for by its caller, and
// starts nothing.
//
// # How it is built
//
// There is one connection that writes and a few that can only read. A write
// takes the file's lock at its beginning (BEGIN IMMEDIATE), so that what it
// reads stays true until it commits, and it is run again from its start if
// another process was faster. Each exported method opens its transaction; the
// unexported functions below it take the transaction. Beside each function
// stand the statements that only it runs, and beside each row type the two
// functions that convert it. From its second use on a statement is prepared.
//
// Times are stored in whole milliseconds. Paths are stored as bytes. Events
// are stored as JSON, without what stands in columns.
//
// The schema is built by the numbered files in migrations, each in one
// transaction that also records its number. What is missing is taken in the
// order of the numbers, also below one that was taken. A file of a newer boo is
// refused; a file of an older one is copied to "<file>.v<schema>.bak" before it
// is changed.
//
// # How it fails
//
// CodeNotFound, CodeBusy and CodeConflict are about rows, and say so at each
// method. CodeFull: no space, and nothing of the write is stored; the store
// works on when there is space again. CodeDenied: the directory or the file
// may not be written. CodeInterrupted: the context ended. CodeInternal:
// anything else, a damaged file among it.
package store
