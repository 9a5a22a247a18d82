//go:build !race

package api_test

const manyEvents = 100_000
