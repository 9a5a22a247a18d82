package gitcmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hookEvents are the hooks that git knows (githooks(5)), but for those of mail and
// of other programs' history. From git 2.54 on a configuration file can name a
// command for each, which core.hooksPath does not keep from running; from 2.55 on
// a whole event can be turned off.
var hookEvents = []string{
	"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc", "post-merge", "post-rewrite",
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "pre-rebase",
	"applypatch-msg", "pre-applypatch", "post-applypatch",
	"pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout",
}

// unhooked are the arguments that turn them off.
var unhooked = func() (args []string) {
	for _, event := range hookEvents {
		args = append(args, "-c", "hook."+event+".enabled=false")
	}
	return args
}()

// withoutHooks returns a call with every hook off that the configuration names, by
// its name, where git has no other way: in 2.54. A git directory of boo's own, as one
// is that has its objects elsewhere, names none.
func (g *Git) withoutHooks(ctx context.Context, c Call) (Call, error) {
	if c.GitDir == "" || c.Objects != "" {
		return c, nil
	}
	named, err := g.namesHooks(ctx)
	if err != nil || !named {
		return c, err
	}
	listing := Call{Args: []string{"config", "--list", "-z", "--name-only", "--includes"}, GitDir: c.GitDir, Personal: c.Personal, Network: c.Network, Environ: c.Environ}
	out, err := g.run(ctx, listing)
	if err != nil {
		return c, fmt.Errorf("list the hooks of the configuration: %w", err)
	}
	environ := g.environment(c)
	set := given(environ)
	first := set
	for _, name := range hookNames(out.Stdout) {
		// A name may hold an equals sign, at which "-c" would end it.
		c.Env = append(slices.Clip(c.Env), fmt.Sprintf("GIT_CONFIG_KEY_%d=hook.%s.enabled", set, name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=false", set))
		set++
	}
	if set > first {
		c.Env = append(c.Env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", set))
	}
	return c, nil
}

// namesHooks reports whether git is of the version that can only turn hooks off one
// by one. It is asked once.
func (g *Git) namesHooks(ctx context.Context) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.version == "" {
		out, err := g.run(ctx, Call{Args: []string{"version"}})
		if err != nil {
			return false, err
		}
		g.version = strings.TrimPrefix(strings.TrimSpace(string(out.Stdout)), "git version ")
	}
	return strings.HasPrefix(g.version, "2.54."), nil
}

// given is how many settings an environment has for git (git-config(1)).
func given(environ []string) (count int) {
	for _, pair := range environ {
		if value, is := strings.CutPrefix(pair, "GIT_CONFIG_COUNT="); is {
			count, _ = strconv.Atoi(value) // git refuses any other
		}
	}
	return count
}

// hookNames are the hooks that a list of settings is about.
func hookNames(keys []byte) (names []string) {
	for key := range bytes.SplitSeq(keys, []byte{0}) {
		rest, is := strings.CutPrefix(string(key), "hook.")
		if dot := strings.LastIndexByte(rest, '.'); is && dot >= 0 {
			names = append(names, rest[:dot])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
