//go:build race

package api_test

// The race detector makes SQLite, which is Go here, twenty times slower.
const manyEvents = 5_000
