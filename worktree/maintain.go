package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
)

const (
	// maxOwnBytes is how much may lie in packs that are due to be packed
	// together, beside their number.
	maxOwnBytes = 8 << 20
	// maxLooseRefs is how many of boo's refs may be files of their own.
	maxLooseRefs = 100
)

// Maintain keeps what boo stores in a repository small: once there are more
// than Options.MaxPacks packs of boo's, or large ones, they become one, with
// deltas; once more than a hundred of boo's refs are files of their own, they
// are packed. Otherwise it costs two listings.
//
// No object is lost, whatever refers to it: the new pack holds all that the old
// ones do and is on disk before any of them goes. Only packs that boo has made
// are touched. It may be cut off at any point, and run beside snapshots and
// beside a git gc of the person's. One call at a time per repository: the
// caller holds a lock for that.
func (e *Engine) Maintain(ctx context.Context, common orchestrator.GitDir) error {
	packs, err := e.marks(common)
	if err == nil {
		err = pack.DropDrafts(packsDir(common), e.opts.Now().Add(-24*time.Hour))
	}
	if err != nil {
		return coded(err, "look at the packs in %s", common)
	}
	if due := e.due(packs); len(due) > 1 {
		if err := e.packTogether(ctx, common, due); err != nil {
			return coded(err, "pack boo's packs in %s", common)
		}
	}
	return coded(e.packRefs(ctx, common), "pack boo's refs in %s", common)
}

// due selects the packs that are to become one: the smallest, and of the larger
// ones those that are not much larger than all of these together. So a large
// pack is written again only when as much has come to it.
func (e *Engine) due(packs []ownPack) []ownPack {
	var bytes int64
	n := 0
	for ; n < len(packs); n++ {
		if n > e.opts.MaxPacks && packs[n].size > 2*bytes {
			break
		}
		bytes += packs[n].size
	}
	if len(packs) <= e.opts.MaxPacks {
		// Few, but large: together they are as a rule hardly more than one.
		small := bytes
		if len(packs) > 0 {
			small -= packs[len(packs)-1].size
		}
		if small < maxOwnBytes {
			return nil
		}
	}
	return packs[:n]
}

// packTogether replaces packs by one that holds all of their objects.
func (e *Engine) packTogether(ctx context.Context, common orchestrator.GitDir, packs []ownPack) error {
	var list strings.Builder
	for _, p := range packs {
		list.WriteString(p.name + ".pack\n")
	}
	name, err := e.packObjects(ctx, common, list.String())
	if err != nil || name == "" {
		return err
	}
	format, err := e.formatOf(ctx, common)
	if err != nil {
		return err
	}
	held, err := pack.ReadIDs(filepath.Join(packsDir(common), name+".idx"), format)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a git gc was faster and has taken all into a pack of its own
	}
	if err != nil {
		return err
	}
	for _, p := range packs {
		if p.name == name {
			continue
		}
		// Git has put everything into the new pack, but nothing goes unless it is
		// certainly there.
		ids, err := pack.ReadIDs(filepath.Join(packsDir(common), p.name+".idx"), format)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !held.Holds(ids) {
			return fmt.Errorf("%s lacks objects of %s", name, p.name)
		}
		if err := e.removePack(common, p.name); err != nil {
			return err
		}
	}
	return nil
}

// packObjects has git write one pack of all that is in the listed ones, and
// returns its name when it is on disk and marked as boo's; "" if there was
// nothing to write.
func (e *Engine) packObjects(ctx context.Context, common orchestrator.GitDir, list string) (string, error) {
	like, err := e.anyID(ctx, common)
	if err != nil {
		return "", err
	}
	r, err := e.plain(common, like)
	if err != nil {
		return "", err
	}
	call := r.call("pack-objects", "--stdin-packs", "-q", "--delta-base-offset", "--threads=1", "--depth=250", "--window-memory=256m",
		"--non-empty", filepath.Join(packsDir(common), "pack"))
	call.Stdin, call.Idle = strings.NewReader(list), true
	out, err := e.git.Run(ctx, call)
	sum := string(bytes.TrimSpace(out.Stdout))
	if err != nil || sum == "" {
		return "", err
	}
	name := "pack-" + sum
	e.mark(common, name)
	// Git syncs the pack itself, but not all that leads to it.
	err = pack.Sync(packsDir(common), name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // a git gc has taken it already
	}
	return name, err
}

func packsDir(common orchestrator.GitDir) string { return filepath.Join(objectsOf(common), "pack") }

// formatOf returns the object format of a repository.
func (e *Engine) formatOf(ctx context.Context, common orchestrator.GitDir) (objectid.Format, error) {
	like, err := e.anyID(ctx, common)
	if err != nil {
		return objectid.SHA1, err
	}
	return objectid.FormatOf(like)
}

// packRefs packs refs where too many of boo's are files of their own, which
// makes git slow at listing any (measured: 20 times with ten thousand). Before
// git 2.42 that takes all refs, as git gc does; none changes its value.
func (e *Engine) packRefs(ctx context.Context, common orchestrator.GitDir) error {
	n := 0
	err := filepath.WalkDir(filepath.Join(string(common), "refs", "boo"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return nil // what is not there, or went meanwhile, is none
	})
	if err != nil || n <= maxLooseRefs {
		return err
	}
	_, err = e.git.Run(ctx, gitcmd.Call{Args: []string{"pack-refs", "--include=refs/boo/*"}, GitDir: string(common), Idle: true})
	if exited(err, 129) { // an option that it does not know
		_, err = e.git.Run(ctx, gitcmd.Call{Args: []string{"pack-refs", "--all"}, GitDir: string(common), Idle: true})
	}
	return err
}

// Release lets go of everything that is held for a chat, in one transaction:
// its snapshots, its base, and the commits made in its worktree. The objects go
// with the person's next git gc, as far as nothing else refers to them. The
// worktree itself is not touched; there is no way back.
func (e *Engine) Release(ctx context.Context, common orchestrator.GitDir, chat orchestrator.ChatID) error {
	out, err := e.git.Run(ctx, shared(common, "for-each-ref", "--format=delete %(refname) %(objectname)", chatRefs(chat)))
	if err != nil {
		return coded(err, "list the refs of chat %s", chat)
	}
	if len(out.Stdout) > 0 {
		call := shared(common, "update-ref", "--stdin")
		call.Stdin = strings.NewReader("start\n" + string(out.Stdout) + "commit\n")
		if _, err := e.git.Run(ctx, call); err != nil {
			return coded(err, "let go of the refs of chat %s", chat)
		}
	}
	if err := dropContents(common, chat); err != nil {
		return coded(err, "clear the files of chat %s", chat)
	}
	return e.DropPrivate(chat)
}
