//go:build race

package worktree_test

// detecting says that the race detector looks on, which makes work in this process
// take many times as long.
const detecting = true
