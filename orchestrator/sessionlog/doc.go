// Package sessionlog keeps a file per chat with all that happened in it, for
// other programs to read: <chat>.jsonl, a line per event, prompts among them.
//
// It promises that a line is written by one write(2), that it is the event as
// "boo chat log --json" prints it with a checksum at its end ("sum": CRC-32C of
// the bytes before it), and that numbers follow one another without a gap. What
// a crash or a full disk left of a line is taken off when the file is opened
// next, and the line is written again: the store is the truth, and the file can
// be made of it anew at any time. At a size the file becomes <chat>.1.jsonl, and
// so on; the oldest goes. A log that is cleared becomes <chat>.until-<number>.jsonl.
//
// What looks like a secret is not written: the values of environment variables
// whose names say so, and tokens of known forms, also where an agent says them in
// pieces, each an event of its own: the end of a message that may be a secret's
// beginning is written with what follows.
//
// The package refuses to know where events come from. Files are 0600, their
// directory 0700. One process at a time writes a chat's file: the caller holds a
// lock for it. Errors are of the file system.
package sessionlog
