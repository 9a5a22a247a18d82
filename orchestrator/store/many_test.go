//go:build !race

package store_test

const manyEvents = 100_000
