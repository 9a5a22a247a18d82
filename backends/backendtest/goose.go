package backendtest

import "testing"

// Goose returns the path of the real goose; see [Program].
func Goose(tb testing.TB) string {
	tb.Helper()
	return Program(tb, "goose")
}

// GooseData returns a data directory of boo's that the real goose is installed
// in; see [Data].
func GooseData(tb testing.TB) string {
	tb.Helper()
	return Data(tb, "goose")
}
