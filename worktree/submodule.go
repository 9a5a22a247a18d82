package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/safeopen"
)

// submodules fills the submodules of the base from the clones that the person's
// repository has of them, without the network. Each gets a git directory of its
// own below the worktree's registration, which borrows the clone's objects, with
// the recorded commit checked out; nothing of the clone's configuration or hooks
// is used. Submodules of submodules stay empty.
func (e *Engine) submodules(ctx context.Context, wt orchestrator.Worktree) (warnings []string, err error) {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return nil, err
	}
	links, err := e.gitlinks(ctx, r)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	names, err := e.submoduleNames(ctx, wt)
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if len(wt.Sparse) > 0 && !inside(wt.Sparse, link.path) {
			continue
		}
		err := e.fillSubmodule(ctx, wt, link, names[link.path])
		if ctx.Err() != nil {
			return warnings, context.Cause(ctx)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("submodule %s is left empty: %v", link.path, err))
		}
	}
	return warnings, nil
}

// submoduleNames reads from the base's .gitmodules which submodule belongs to a
// path.
func (e *Engine) submoduleNames(ctx context.Context, wt orchestrator.Worktree) (map[orchestrator.Path]string, error) {
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return nil, err
	}
	out, err := e.git.Run(ctx, r.call("config", "--blob", string(wt.Base)+":.gitmodules", "-z", "--get-regexp", `^submodule\..*\.path$`))
	if err != nil && !exited(err, 1, 128) { // there is none
		return nil, fmt.Errorf("read .gitmodules: %w", err)
	}
	names := map[orchestrator.Path]string{}
	for entry := range strings.SplitSeq(string(out.Stdout), "\x00") {
		key, path, _ := strings.Cut(entry, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		// The name becomes a path, and whoever made the commit has chosen it.
		if _, err := orchestrator.ParsePath(name); err == nil && !strings.ContainsAny(name, "\\:") {
			names[orchestrator.Path(path)] = name
		}
	}
	return names, nil
}

// fillSubmodule fills the empty directory of a submodule. One that is not empty
// is left alone.
func (e *Engine) fillSubmodule(ctx context.Context, wt orchestrator.Worktree, link indexed, name string) (err error) {
	if name == "" {
		return errors.New(".gitmodules does not name it")
	}
	clone := filepath.Join(string(wt.CommonDir), "modules", name)
	from := gitcmd.Call{Args: []string{"cat-file", "-e", string(link.entry.ID) + "^{commit}"}, GitDir: clone}
	if _, err := e.git.Run(ctx, from); err != nil {
		return fmt.Errorf("your repository has no clone of it with commit %s; run: git submodule update --init %s", link.entry.ID.Short(), link.path)
	}
	if empty, err := emptyDir(wt, link.path); err != nil || !empty {
		return err
	}
	dir := filepath.Join(string(wt.Dir), string(link.path))
	gitDir := adminOf(wt).file(filepath.Join("modules", name))
	if err := os.RemoveAll(gitDir); err != nil {
		return err
	}
	if err := borrow(gitDir, clone, dir, link.entry.ID); err != nil {
		return err
	}
	call := gitcmd.Call{Args: []string{"read-tree", "-m", "-u", string(link.entry.ID)}, GitDir: gitDir, WorkTree: dir}
	if _, err := e.git.Run(ctx, call); err != nil {
		return noteFull(err, dir)
	}
	return os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+gitDir+"\n"), 0o666)
}

// emptyDir reports whether an empty directory stands at path, which is reached
// through no symlink.
func emptyDir(wt orchestrator.Worktree, path orchestrator.Path) (bool, error) {
	root, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return false, err
	}
	defer root.Close()
	fd, err := root.OpenDir(path)
	if err != nil {
		return false, err
	}
	f := os.NewFile(uintptr(fd), string(path))
	defer f.Close()
	names, err := f.Readdirnames(1)
	if err == io.EOF {
		err = nil
	}
	return len(names) == 0, err
}

// borrow makes a git directory for the work tree dir, with HEAD at a commit and
// the objects of a clone.
func borrow(gitDir, clone, dir string, head orchestrator.ObjectID) error {
	version, format := 0, ""
	if len(head) == 64 {
		version, format = 1, "[extensions]\n\tobjectformat = sha256\n"
	}
	config := fmt.Sprintf("[core]\n\trepositoryformatversion = %d\n\tbare = false\n\tworktree = %s\n%s", version, quoteValue(dir), format)
	for _, sub := range []string{"refs", "objects/info"} {
		if err := os.MkdirAll(filepath.Join(gitDir, sub), 0o777); err != nil {
			return err
		}
	}
	if shallow, err := readSmall(filepath.Join(clone, "shallow"), ruleLimit); err == nil {
		if err := os.WriteFile(filepath.Join(gitDir, "shallow"), shallow, 0o666); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, content string }{
		{"config", config},
		{"objects/info/alternates", alternate(filepath.Join(clone, "objects"))},
		{"HEAD", string(head) + "\n"},
	} {
		if err := os.WriteFile(filepath.Join(gitDir, f.name), []byte(f.content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// alternate is a line of an alternates file; git reads a quoted one as C does.
func alternate(dir string) string {
	if strings.ContainsAny(dir, "\"\\\n#") {
		return quoteValue(dir) + "\n"
	}
	return dir + "\n"
}

// noModules refuses a worktree whose registration holds objects of a submodule: they
// are nowhere else, and go with it. Those that boo has filled have none of their own.
func noModules(wt orchestrator.Worktree) error {
	modules := adminOf(wt).file("modules")
	return gone(filepath.WalkDir(modules, func(path string, entry fs.DirEntry, err error) error {
		of, below, inside := strings.Cut(path, "/objects/")
		if err != nil || entry.IsDir() || !inside || below == "info/alternates" {
			return err
		}
		name := strings.TrimPrefix(of, modules+"/")
		return orchestrator.Errorf(orchestrator.CodeAtRisk,
			"submodule %s of chat %s has objects of its own at %s, which boo does not keep; push them, and remove that", name, wt.Chat, of)
	}))
}
