// Package doctor looks for what is not as it should be: in the store, in what
// repositories, directories and processes say of its rows, and on the machine.
//
// It promises that to look changes nothing, that each [Finding] says why it
// matters and either which command mends it or what [Finding.Mend] does, and that
// this never removes anything: it brings back, sets right, or settles. What
// cannot be looked at is a finding too, and keeps the rest from nothing.
//
// It compares, chat by chat:
//
//	row ── repository there? ── refs there? ── registered? ── directory whole?
//	 ▲          │                  │               │                │
//	 ╰──────────┴───── whose row is it? ───────────┴────────────────╯
//
// It refuses to know how things are mended, and how they are shown.
package doctor
