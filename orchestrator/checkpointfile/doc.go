// Package checkpointfile writes checkpoints into a directory, and reads them
// back.
//
// It promises:
//
//   - One file per step, and one that names the latest, in a directory for each
//     session: "<chat>.<agent>.<generation>/<step>.json" and "latest". Each is
//     there whole, and on disk, or not at all.
//   - Nothing outside of the directory is read or written, whatever ids, names
//     and links there are, and no session's files are taken for another's.
//   - What is read agrees with its digest and stands where it belongs; all else
//     is named with its reason, and left alone.
//
// It refuses to know stores, and whether a checkpoint still fits one. It fails
// with coded errors where the directory itself cannot be used.
package checkpointfile
