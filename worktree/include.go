package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/populate"
	"boo/worktree/internal/safeopen"
)

// includeFile names, in the person's checkout, the ignored files that a new
// worktree gets too, in the form of a gitignore file.
const includeFile = ".worktreeinclude"

// include brings ignored files along from the checkout that the worktree was
// asked for in: those that git ignores there and here, and that a pattern
// matches. What is tracked, on either side, is never touched.
func (e *Engine) include(ctx context.Context, wt orchestrator.Worktree, c orchestrator.Checkout, patterns []string) ([]string, error) {
	rules, err := readSmall(filepath.Join(string(c.Dir), includeFile), ruleLimit)
	if err != nil && !os.IsNotExist(err) {
		return []string{fmt.Sprintf("%s is not used: %v", includeFile, err)}, nil
	}
	rules = append(append(rules, '\n'), strings.Join(patterns, "\n")...)
	if len(bytes.TrimSpace(rules)) == 0 {
		return nil, nil
	}
	wanted, err := e.wanted(ctx, c, rules)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	r, err := e.chat(ctx, wt)
	if err != nil {
		return nil, err
	}
	here, err := e.ignoredOf(ctx, r.call, wanted)
	if err != nil {
		return nil, err
	}
	var warnings []string
	if seen := len(wanted) - len(here); seen > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of the files that %s names are not ignored at %s and were not brought along", seen, includeFile, wt.Base.Short()))
	}
	brought, err := e.bring(ctx, wt, c, here)
	return append(warnings, brought...), err
}

func (e *Engine) bring(ctx context.Context, wt orchestrator.Worktree, c orchestrator.Checkout, files []orchestrator.Path) ([]string, error) {
	from, err := safeopen.OpenRoot(string(c.Dir))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := safeopen.OpenRoot(string(wt.Dir))
	if err != nil {
		return nil, err
	}
	defer to.Close()
	result, err := populate.Bring(ctx, populate.Bringing{From: from, To: to, Files: files, Limit: e.opts.MaxInclude})
	return tooMany(result.Skipped, func(s orchestrator.SkippedPath) string {
		return fmt.Sprintf("%s was not brought along: %s", s.Path, s.Reason)
	}), err
}

// mostNamed bounds how many paths are warned of one by one.
const mostNamed = 10

func tooMany(skipped []orchestrator.SkippedPath, say func(orchestrator.SkippedPath) string) (warnings []string) {
	for i, s := range skipped {
		if i == mostNamed {
			return append(warnings, fmt.Sprintf("and %d more like it", len(skipped)-i))
		}
		warnings = append(warnings, say(s))
	}
	return warnings
}

// wanted lists the files of a checkout that are not tracked, are ignored, and
// match the rules.
func (e *Engine) wanted(ctx context.Context, c orchestrator.Checkout, rules []byte) ([]orchestrator.Path, error) {
	temp, remove, err := e.tempDir("include")
	if err != nil {
		return nil, err
	}
	defer remove()
	list := filepath.Join(temp, "rules")
	if err := os.WriteFile(list, rules, 0o600); err != nil {
		return nil, err
	}
	own := func(args ...string) gitcmd.Call {
		return gitcmd.Call{Args: args, GitDir: string(c.GitDir), WorkTree: string(c.Dir), Personal: true}
	}
	out, err := e.git.Run(ctx, own("ls-files", "-z", "--others", "--ignored", "--exclude-from="+list))
	if err != nil {
		return nil, fmt.Errorf("look for the files that %s names: %w", includeFile, err)
	}
	var found []orchestrator.Path
	for name := range strings.SplitSeq(string(out.Stdout), "\x00") {
		// A directory is a repository of its own.
		if path, err := orchestrator.ParsePath(name); err == nil {
			found = append(found, path)
		}
	}
	return e.ignoredOf(ctx, own, found)
}

// ignoredOf returns those of the paths that git ignores.
func (e *Engine) ignoredOf(ctx context.Context, git func(args ...string) gitcmd.Call, paths []orchestrator.Path) ([]orchestrator.Path, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for _, path := range paths {
		in.WriteString("./" + string(path) + "\x00")
	}
	call := git("check-ignore", "-z", "--stdin")
	call.Magic, call.Stdin = true, &in
	out, err := e.git.Run(ctx, call)
	if err != nil && !exited(err, 1) { // 1 says that none is
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	var ignored []orchestrator.Path
	for name := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if path, ok := strings.CutPrefix(name, "./"); ok {
			ignored = append(ignored, orchestrator.Path(path))
		}
	}
	return ignored, nil
}
