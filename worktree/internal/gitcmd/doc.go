// Package gitcmd builds and runs every git command of boo's.
//
// It promises that a command sees nothing but what its [Call] names: the
// environment is made from nothing, the git directory and the work tree are
// given and never discovered (except by the one call that has to find them),
// and whatever could make git start another program is off: hooks, the file
// system monitor, pagers, editors, credential helpers, transports, submodule
// recursion, automatic maintenance. Pathspecs are literal, replace refs are
// ignored, objects and refs are synced to the disk before the command ends.
//
// Commands that speak with a remote have a profile of their own
// ([Call].Network): the person's environment, transports and credential helpers
// are theirs, but no hook, no submodule and no maintenance runs, and nobody is
// asked for a password.
//
// It refuses to know what the commands are for.
//
// A command that fails returns an [*Error] with its arguments, its exit status
// and what it wrote on standard error. A cancelled context ends the command
// with SIGTERM, so that it removes its lock files, and after five seconds with
// SIGKILL.
package gitcmd
