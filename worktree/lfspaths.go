package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"
)

// fillPaths writes contents in the place of the pointers among files that are
// meant for a checkout and stand below dir by their paths, as far as they are on
// this machine, where the person's git uses Git LFS there.
func (e *Engine) fillPaths(ctx context.Context, c orchestrator.Checkout, dir string, list []indexed) error {
	wanting, err := pointersAmong(dir, list)
	if err != nil || len(wanting) == 0 {
		return err
	}
	if s, err := e.settingsOf(ctx, c); err != nil || s.lfs.program == "" {
		return err
	}
	kept, err := e.keptWithLFS(ctx, c, wanting)
	if err != nil || len(kept) == 0 {
		return err
	}
	if err := e.shareContents(c.CommonDir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range kept {
		// What is not there stays a pointer, which git records as what it points to.
		if _, err := fillPointer(root, string(path), pointed([]byte(wanting[path])), []string{lfsOf(c.CommonDir)}); err != nil {
			return err
		}
	}
	return nil
}

func pointersAmong(dir string, list []indexed) (map[orchestrator.Path]string, error) {
	root, err := safeopen.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found := map[orchestrator.Path]string{}
	for _, x := range list {
		if x.entry.Mode != orchestrator.ModeRegular && x.entry.Mode != orchestrator.ModeExec {
			continue
		}
		if pointer := pointerAt(root, x.path); pointer != "" {
			found[x.path] = pointer
		}
	}
	return found, nil
}

// keptWithLFS returns those of the paths that the attributes of a checkout keep
// with Git LFS.
func (e *Engine) keptWithLFS(ctx context.Context, c orchestrator.Checkout, paths map[orchestrator.Path]string) ([]orchestrator.Path, error) {
	r, err := e.checkout(ctx, c)
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	for path := range paths {
		in.WriteString(string(path) + "\x00")
	}
	call := r.call("check-attr", "-z", "--stdin", "filter")
	call.Stdin = &in
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("ask which files are kept with Git LFS: %w", err)
	}
	var kept []orchestrator.Path
	fields := strings.Split(string(out.Stdout), "\x00") // path, attribute and value, over and over
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+2] == "lfs" {
			kept = append(kept, orchestrator.Path(fields[i]))
		}
	}
	return kept, nil
}
