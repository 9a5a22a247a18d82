// Package inflate decompresses zlib streams (RFC 1950, RFC 1951) of known length
// from memory to memory.
//
// Nothing is streamed, so that the inner loop has no state to keep: it is about
// three times as fast as compress/flate, which the time to write a checkout
// from packed objects mostly depends on.
//
// It promises that what it returns without an error is what the stream says, by
// its checksum, too, and that no input makes it panic or write beyond the
// length that it was told. It is strict: what zlib does not write may be an
// error. It refuses to know what the bytes mean, and preset dictionaries. It
// fails with [ErrCorrupt], and what it has written then is undefined.
package inflate
