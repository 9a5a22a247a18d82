// Package install brings an agent's pinned npm package into boo's own data
// directory.
//
// It promises:
//
//   - What stands at the final place is whole: it was installed beside, run
//     with --version, written out to the disk and then renamed.
//   - One installation at a time, also between processes; whoever comes later
//     waits, and finds it done.
//   - Whatever ends an installation early (an error, Ctrl-C, a kill) leaves no
//     process of npm's behind and at most a staging directory, which the next
//     run removes.
//   - Scripts of packages are not run, and nothing of the person's is changed
//     but npm's cache.
//
// It refuses to know agents: a [backends.Definition] says the package, the
// version, the program in it and the node it needs.
//
// An agent that needs a newer node than the machine has gets one beside it,
// in boo's directory too, which nothing else is run with.
//
// It fails with coded errors that say what to do: no npm, no
// network or no such package (CodeAgent, CodeNotFound), no space (CodeFull),
// no permission (CodeDenied), stopped (CodeInterrupted).
//
// # Places and states
//
//	<data>/agents/.lock                      flock of the installer
//	<data>/agents/<name>/.staging-<random>   npm works here
//	<data>/agents/<name>/.old-<random>       what was replaced, on its way out
//	<data>/agents/<name>/<version>           whole, with its manifest
//
//	nothing | damaged ──▶ staging ──▶ checked ──▶ installed
//	       ▲                 │           │
//	       ╰─────────────────┴───────────╯ any failure
package install
