package worktree

import (
	"bytes"
	"context"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

// putStaged keeps the worktree's own index, unless a restore makes the same one, and
// what it names and the base has not. One that git cannot read is kept as it is.
func (e *Engine) putStaged(ctx context.Context, wt orchestrator.Worktree, r repo, objects *store, entries map[orchestrator.Path]orchestrator.Entry) error {
	if e.nothingStaged(wt, r) {
		return nil
	}
	raw, err := readSmall(adminOf(wt).file("index"), mostOfGit)
	if err != nil {
		return gone(err)
	}
	if err := e.putStages(ctx, r, entries); err != nil && !exited(err, 128) {
		return err
	}
	if bytes.Contains(raw, []byte("FSMN")) {
		return nil // it says what a watcher saw, which will not have seen the restore
	}
	blob, err := objects.put(objectid.Blob, raw)
	entries[keptIndex] = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: blob}
	return err
}

// putStages adds what the worktree's own index names, and boo's, which is at the
// base, does not: below its stage, so that what is in conflict has room. Of what is
// not there at all nothing can be kept.
func (e *Engine) putStages(ctx context.Context, r repo, entries map[orchestrator.Path]orchestrator.Entry) error {
	own, err := e.git.Run(ctx, r.with(r.own).call("ls-files", "-s", "-z"))
	if err != nil {
		return err
	}
	base, err := e.git.Run(ctx, r.call("ls-files", "-s", "-z"))
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for line := range strings.SplitSeq(string(base.Stdout), "\x00") {
		known[line] = true
	}
	staged := map[orchestrator.Path]orchestrator.Entry{}
	var ids []orchestrator.ObjectID
	for line := range strings.SplitSeq(string(own.Stdout), "\x00") {
		info, name, _ := strings.Cut(line, "\t")
		path, err := orchestrator.ParsePath(name)
		if known[line] || err != nil || strings.HasPrefix(info, "160000 ") {
			continue
		}
		list, err := parseIndexed([]byte(line))
		if err != nil {
			return err
		}
		staged[join(join(keptStaged, info[len(info)-1:]), string(path))] = list[0].entry
		ids = append(ids, list[0].entry.ID)
	}
	there, err := e.among(ctx, r, "blob", ids)
	for at, entry := range staged {
		if there[entry.ID] {
			entries[at] = entry
		}
	}
	return err
}

// nothingStaged reports whether the worktree's own index holds nothing but the
// base, at which HEAD is, and no mark of anybody's. false says only that this is
// not certain.
func (e *Engine) nothingStaged(wt orchestrator.Worktree, r repo) bool {
	head, err := readHead(string(adminOf(wt)))
	if err != nil || head != wt.Base {
		return false
	}
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return false
	}
	if sameTrailer(r.own, r.index, format.Size()) {
		return true // as boo has made it
	}
	own, err := dircache.Read(r.own, format)
	if err != nil {
		return false
	}
	base, err := dircache.Read(r.index, format)
	if err != nil || len(own.Entries()) != len(base.Entries()) {
		return false
	}
	for i, entry := range own.Entries() {
		at := base.Entries()[i]
		if entry.Flags != 0 || entry.Stage != 0 || entry.Path != at.Path || entry.Mode != at.Mode || entry.ID != at.ID || at.Flags != 0 {
			return false
		}
	}
	return true
}
