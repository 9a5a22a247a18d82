//go:build !race

package worktree_test

const detecting = false
