// Package tty is the only writer to the person's terminal.
//
// It promises that nothing which passes through it can do more than put
// characters on the screen: text of agents, titles, paths, diffs and messages of
// other programs cannot move the cursor, set the clipboard or the window title,
// make a link, change colours, or hide what they say. Colour and cursor movement
// come from this package alone, and only when the output is a terminal that can
// show them.
//
// Two grades of cleaning exist. Text keeps prose as it is: letters of all
// scripts, emoji, line breaks and tabs. Line and patches are strict: every
// character that has no shape of its own is shown by its number, since a name
// that looks like another one is a lie about a file.
//
// It refuses to know what is written. It fails by remembering the first error of
// each output ([Output.Err]) and dropping what comes after it, so that a reader
// who went away stops nothing but the writing.
package tty
