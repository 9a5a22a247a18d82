package dircache

import (
	"errors"
	"fmt"
)

// ErrLocked says that another process holds the index's lock file.
var ErrLocked = errors.New("index is locked")

// UnsupportedError names what an index has that this package does not read.
// git can.
type UnsupportedError struct {
	Feature string // "split index", "sparse index", "version 5", …
}

// Error names the feature.
func (e *UnsupportedError) Error() string { return "index uses " + e.Feature }

// CorruptError says why bytes are not an index.
type CorruptError struct {
	Reason string
}

// Error gives the reason.
func (e *CorruptError) Error() string { return "corrupt index: " + e.Reason }

func corrupt(format string, args ...any) error {
	return &CorruptError{Reason: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &UnsupportedError{Feature: fmt.Sprintf(format, args...)}
}
