package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// mostIgnored is how many bytes of ignored files are kept of a worktree that
// goes.
const mostIgnored = 10 << 20

// mostIgnoredFiles is how many files of one ignored directory are kept at most.
const mostIgnoredFiles = 500

// archiveRef holds what no snapshot of a chat has, of a worktree that is gone.
func archiveRef(chat orchestrator.ChatID) string { return chatRefs(chat) + "archive" }

// The entries of an archive's tree.
const (
	keptFiles  = "ignored" // a tree of ignored files, as they are
	keptModes  = "modes"   // a line, ended by NUL, for each of them; see ignoredFile
	keptPerms  = "perms"   // the same for recorded files that have permissions of their own
	keptStaged = "staged"  // a tree, by stage, of what the worktree's own index adds to the base
	keptIndex  = "index"   // that index, byte for byte
	keptBooks  = "books"   // a tar of git's files that only the worktree has
)

// Keep makes sure that nothing is lost with a worktree, which stands at "at" now
// and in which nobody works: its newest snapshot has all files as they are, and a
// commit that refs/boo/chats/<chat>/archive holds has the ignored ones, up to 10
// MB, the permissions of files, what is staged, git's books of it, and, as its parents, every commit that its
// HEAD was at or that a ref of its own is.
// All of it was read back when Keep returns. It returns the ignored files and
// directories that were left out. CodeAtRisk if something cannot be kept.
func (e *Engine) Keep(ctx context.Context, wt orchestrator.Worktree, at orchestrator.WorktreeDir) (left []string, err error) {
	there := wt
	there.Dir = at
	if err := e.SameTree(there); err != nil {
		return nil, err
	}
	found, err := e.unrecorded(ctx, there)
	switch skipped := found.snap.Skipped; {
	case err != nil:
		return nil, coded(err, "compare the worktree of chat %s with its newest snapshot", wt.Chat)
	case len(found.changes) > 0:
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "%s was changed while the worktree of chat %s was to be archived", found.changes[0].path, wt.Chat).
			WithHint("boo worktree archive %s, once nobody works in it", wt.Chat)
	case len(skipped) > 0:
		return nil, orchestrator.Errorf(orchestrator.CodeAtRisk, "%s cannot be recorded: %s", skipped[0].Path, skipped[0].Reason)
	}
	if err := e.noRepositories(ctx, there, found.snap); err != nil {
		return nil, err
	}
	if err := e.keepHead(ctx, wt); err != nil {
		return nil, err
	}
	kept, left, err := e.keepRest(ctx, there, found)
	if err != nil {
		return nil, coded(err, "keep what no snapshot has of chat %s", wt.Chat)
	}
	return left, coded(e.readBack(ctx, wt, kept), "read back what is kept of chat %s", wt.Chat)
}

// noRepositories refuses a worktree with repositories in it: of these a snapshot
// has no more than the commit that they are at. What of a submodule is in git's
// books counts, too.
func (e *Engine) noRepositories(ctx context.Context, wt orchestrator.Worktree, snap orchestrator.Snapshot) error {
	if err := noModules(wt); err != nil {
		return err
	}
	if snap.Verified {
		return nil // it was seen to have none
	}
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	out, err := e.git.Run(ctx, r.call("ls-tree", "-r", "-z", string(snap.Tree)))
	if err != nil {
		return coded(err, "look for repositories in worktree %s", wt.Dir)
	}
	for entry := range strings.SplitSeq(string(out.Stdout), "\x00") {
		info, path, ok := strings.Cut(entry, "\t")
		if !ok || !strings.HasPrefix(info, "160000 ") {
			continue
		}
		below, err := os.ReadDir(filepath.Join(string(wt.Dir), path))
		if err == nil && len(below) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return holdsRepository(wt, path)
		}
	}
	return nil
}

func holdsRepository(wt orchestrator.Worktree, path string) error {
	link, err := readSmall(filepath.Join(string(wt.Dir), path, ".git"), 64<<10)
	if err == nil && strings.HasPrefix(string(link), "gitdir: "+adminOf(wt).file("modules")+"/") {
		return orchestrator.Errorf(orchestrator.CodeAtRisk, "%s in the worktree of chat %s is a submodule with its files, which boo does not keep; empty it if they are not needed", path, wt.Chat).
			WithHint("find %s -mindepth 1 -delete, and then: boo worktree archive %s", quoteShell(filepath.Join(string(wt.Dir), path)), wt.Chat)
	}
	return orchestrator.Errorf(orchestrator.CodeAtRisk, "%s in the worktree of chat %s is a repository of its own, which boo does not keep", path, wt.Chat).
		WithHint("move it elsewhere, and then: boo worktree archive %s", wt.Chat)
}

// keepRest writes the archive's commit, with all that it leads to in one pack, and
// moves its ref.
func (e *Engine) keepRest(ctx context.Context, wt orchestrator.Worktree, found comparison) (kept orchestrator.ObjectID, left []string, err error) {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return "", nil, err
	}
	files, left, err := e.ignoredFiles(ctx, wt, r, found)
	if err != nil {
		return "", nil, err
	}
	parents, err := e.everHead(ctx, wt)
	if err != nil {
		return "", nil, err
	}
	objects, done, err := e.objectsFor(ctx, wt.CommonDir, wt.Base)
	if err != nil {
		return "", nil, err
	}
	kept, err = e.putRest(ctx, wt, r, objects, files, parents)
	if err := errors.Join(err, done()); err != nil {
		return "", nil, err
	}
	old, err := e.refCommit(ctx, wt.CommonDir, archiveRef(wt.Chat))
	if err != nil {
		return "", nil, err
	}
	return kept, left, e.MoveRef(ctx, wt.CommonDir, archiveRef(wt.Chat), old, kept)
}

func (e *Engine) putRest(ctx context.Context, wt orchestrator.Worktree, r repo, objects *store, files []string, parents []orchestrator.ObjectID) (orchestrator.ObjectID, error) {
	entries := map[orchestrator.Path]orchestrator.Entry{}
	if err := putIgnored(objects, wt, files, entries); err != nil {
		return "", fmt.Errorf("keep ignored files: %w", err)
	}
	if err := e.putPerms(ctx, wt, r, objects, entries); err != nil {
		return "", fmt.Errorf("keep permissions: %w", err)
	}
	if err := e.putStaged(ctx, wt, r, objects, entries); err != nil {
		return "", fmt.Errorf("keep what is staged: %w", err)
	}
	if err := putBooks(objects, adminOf(wt), entries); err != nil {
		return "", fmt.Errorf("keep git's books of it: %w", err)
	}
	plan := newTreePlan()
	for path, entry := range entries {
		plan.add(strings.Split(string(path), "/"), entry)
	}
	trees := overlay{ctx: ctx, objects: objects}
	top := map[string]orchestrator.Entry{}
	if err := trees.apply(top, plan, ""); err != nil {
		return "", err
	}
	tree, err := trees.store(top)
	if err != nil {
		return "", err
	}
	by := e.signed(boo)
	c := commit{tree: tree, parents: parents, author: by, committer: by, message: "boo: what no snapshot has of chat " + string(wt.Chat) + "\n"}
	return objects.put(objectid.Commit, c.encode())
}

// ignoredFiles lists the ignored files that are kept: of the files and directories
// that are ignored, in their order, as many as find room. A directory is kept as a
// whole or not at all.
func (e *Engine) ignoredFiles(ctx context.Context, wt orchestrator.Worktree, r repo, found comparison) (keep, left []string, err error) {
	ignored, err := e.ignoredOfAll(ctx, r, found)
	if err != nil {
		return nil, nil, err
	}
	room := int64(mostIgnored)
	for _, entry := range ignored {
		files, size, whole, err := within(wt, string(entry), room)
		switch {
		case err != nil:
			return nil, nil, err
		case whole:
			keep, room = append(keep, files...), room-size
		default:
			left = append(left, string(entry))
		}
	}
	return keep, left, nil
}

// ignoredOfAll lists what is ignored, files and directories, as it was found or git
// tells.
func (e *Engine) ignoredOfAll(ctx context.Context, r repo, found comparison) (ignored []orchestrator.Path, err error) {
	if found.snap.Verified {
		return found.ignored, nil
	}
	out, err := e.git.Run(ctx, r.call("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"))
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out.Stdout), "\x00"), "\x00") {
		if entry != "" {
			ignored = append(ignored, orchestrator.Path(strings.TrimSuffix(entry, "/")))
		}
	}
	return ignored, nil
}

// within lists the files at and below a path, unless they take more than room or
// are not all files and symlinks.
func within(wt orchestrator.Worktree, path string, room int64) (files []string, size int64, whole bool, err error) {
	whole = true
	err = filepath.WalkDir(filepath.Join(string(wt.Dir), path), func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := noRepository(wt, at, entry); err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size() + 100 // many small ones take room too
		if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 || size > room || len(files) == mostIgnoredFiles {
			whole = false
			return nil
		}
		rel, err := filepath.Rel(string(wt.Dir), at)
		files = append(files, rel)
		return err
	})
	return files, size, whole, err
}

// everHead lists the newest snapshot and every commit that HEAD of the worktree
// is known to have been at, or that a ref is which only it sees.
func (e *Engine) everHead(ctx context.Context, wt orchestrator.Worktree) ([]orchestrator.ObjectID, error) {
	newest, err := e.Newest(ctx, wt)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	refs, err := ownRefs(adminOf(wt))
	if err != nil {
		return nil, err
	}
	for _, name := range append(refs, "logs/HEAD", "ORIG_HEAD", "HEAD") {
		content, err := readSmall(adminOf(wt).file(name), mostOfGit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		text.Write(content)
		text.WriteByte('\n')
	}
	if head, err := readHead(string(adminOf(wt))); err == nil {
		text.WriteString(string(head) + "\n")
	}
	ids := []orchestrator.ObjectID{wt.Base}
	if newest.Commit != "" {
		ids = append(ids, newest.Commit)
	}
	for line := range strings.Lines(text.String()) {
		before, _, _ := strings.Cut(line, "\t")
		for _, word := range strings.Fields(before) {
			if id, err := orchestrator.ParseObjectID(word); err == nil && len(id) == len(wt.Base) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return e.commitsAmong(ctx, wt, ids)
}

// commitsAmong are those of the ids that the repository has commits of.
func (e *Engine) commitsAmong(ctx context.Context, wt orchestrator.Worktree, ids []orchestrator.ObjectID) ([]orchestrator.ObjectID, error) {
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return nil, err
	}
	there, err := e.among(ctx, r, "commit", ids)
	return slices.DeleteFunc(ids, func(id orchestrator.ObjectID) bool { return !there[id] }), err
}

// among tells of which of the ids the repository has objects of a kind.
func (e *Engine) among(ctx context.Context, r repo, kind string, ids []orchestrator.ObjectID) (map[orchestrator.ObjectID]bool, error) {
	there := map[orchestrator.ObjectID]bool{}
	if len(ids) == 0 {
		return there, nil
	}
	var ask strings.Builder
	for _, id := range ids {
		ask.WriteString(string(id) + "\n")
	}
	call := r.call("cat-file", "--batch-check=%(objectname) %(objecttype)")
	call.Stdin = strings.NewReader(ask.String())
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out.Stdout)) {
		if id, of, _ := strings.Cut(strings.TrimSpace(line), " "); of == kind {
			there[orchestrator.ObjectID(id)] = true
		}
	}
	return there, nil
}

// readBack reads everything that a commit leads to, beyond the base: git packs it
// for nobody. What that costs follows what differs from the base, also where a
// list of all that the base has would be long.
func (e *Engine) readBack(ctx context.Context, wt orchestrator.Worktree, kept orchestrator.ObjectID) error {
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return err
	}
	call := r.call("pack-objects", "--revs", "--sparse", "--stdout", "--window=0", "-q")
	call.Stdin, call.Stdout = strings.NewReader(string(kept)+"\n^"+string(wt.Base)+"\n"), io.Discard
	_, err = e.git.Run(ctx, call)
	return err
}
