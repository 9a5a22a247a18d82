package worktree

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// fetchTime is how long a remote may take.
const fetchTime = 2 * time.Minute

var requestWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(pr|mr)[/:]|(#)|(!))([1-9][0-9]{0,17})$`)
})

// shortRequest is the name of a request's head as hosts show it.
var shortRequest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:pull|merge-requests)/[1-9][0-9]{0,17}/head$`)
})

// remoteRefs returns the refs of a remote that a base may stand for, the likely
// one first, and what they are to people; none for any other revision. Hosts
// differ in how they call the head of a request.
func remoteRefs(rev string) (sources []string, what string) {
	if rev == "fresh" {
		return []string{"HEAD"}, "default branch"
	}
	if shortRequest().MatchString(rev) {
		rev = "refs/" + rev
	}
	pull, merge := "refs/pull/", "refs/merge-requests/"
	if id, ok := strings.CutPrefix(rev, pull); ok && strings.HasSuffix(id, "/head") {
		return []string{rev}, rev
	}
	if id, ok := strings.CutPrefix(rev, merge); ok && strings.HasSuffix(id, "/head") {
		return []string{rev}, rev
	}
	match := requestWord().FindStringSubmatch(rev)
	if match == nil {
		return nil, ""
	}
	sources = []string{pull + match[4] + "/head", merge + match[4] + "/head"}
	if match[1] == "mr" || match[3] != "" {
		sources[0], sources[1] = sources[1], sources[0]
	}
	return sources, "pull request " + match[4]
}

// fetch gets a commit from the remote into refs/boo/bases. No ref of the
// person's moves, FETCH_HEAD stays as it is, and no tag comes along.
func (e *Engine) fetch(ctx context.Context, c orchestrator.Checkout, sources []string, what string, environ []string) (orchestrator.ObjectID, error) {
	remote, err := e.remote(ctx, c)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTime, errors.New("it did not answer within "+fetchTime.String()))
	defer cancel()
	source, id, err := e.advertised(ctx, c, remote, sources, environ)
	if err != nil {
		return "", unreachable(ctx, err, remote)
	}
	if id == "" {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "the remote %s has no %s; nothing was made", remote, what).
			WithHint("git ls-remote %s", remote)
	}
	ref := basesRefs + string(id)
	_, err = e.git.Run(ctx, network(c, environ, "fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules",
		"--no-auto-maintenance", "--refmap=", "--force", "--", remote, source+":"+ref))
	if err != nil {
		return "", unreachable(ctx, err, remote)
	}
	// The remote may have moved on since it was asked.
	id, err = e.resolve(ctx, c.CommonDir, ref)
	if exited(err, 1, 128) {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "the %s of the remote %s is no commit", what, remote)
	}
	if err == nil {
		err = e.holdBase(ctx, c.CommonDir, id)
	}
	return id, coded(err, "read what was fetched from %s", remote)
}

// advertised asks the remote for the first of the refs that it has.
func (e *Engine) advertised(ctx context.Context, c orchestrator.Checkout, remote string, sources []string, environ []string) (source string, id orchestrator.ObjectID, err error) {
	out, err := e.git.Run(ctx, network(c, environ, append([]string{"ls-remote", "--quiet", "--", remote}, sources...)...))
	if err != nil {
		return "", "", err
	}
	there := map[string]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		value, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		there[ref] = value // patterns match the ends of refs too
	}
	for _, source := range sources {
		if value, ok := there[source]; ok {
			id, err := orchestrator.ParseObjectID(value)
			return source, id, err
		}
	}
	return "", "", nil
}

// remote returns the name of the remote to ask: the only one, or "origin".
func (e *Engine) remote(ctx context.Context, c orchestrator.Checkout) (string, error) {
	call := shared(c.CommonDir, "remote")
	call.Personal = true
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return "", coded(err, "list the remotes of %s", c.Dir)
	}
	names := strings.Fields(string(out.Stdout))
	for _, name := range names {
		if name == "origin" || len(names) == 1 {
			return name, nil
		}
	}
	if len(names) == 0 {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "%s has no remote to fetch from; nothing was made", c.Dir).
			WithHint("git remote add origin URL")
	}
	return "", orchestrator.Errorf(orchestrator.CodeInvalid, "%s has several remotes, and none is called origin: %s; nothing was made", c.Dir, strings.Join(names, ", ")).
		WithHint("git fetch %s && boo chat send --new --base %s/BRANCH", names[0], names[0])
}

// network is a command that speaks with a remote, in the main repository only.
func network(c orchestrator.Checkout, environ []string, args ...string) gitcmd.Call {
	return gitcmd.Call{Args: args, GitDir: string(c.CommonDir), Network: true, Environ: environ}
}

// unreachable explains why a remote could not be asked.
func unreachable(ctx context.Context, err error, remote string) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if isFull(err) || errors.Is(err, gitcmd.ErrNoGit) {
		return coded(err, "fetch from %s; nothing was made", remote)
	}
	return orchestrator.Errorf(orchestrator.CodeUnverified, "cannot fetch from %s; nothing was made: %s", remote, reason(err)).
		WithHint("git fetch %s", remote)
}
