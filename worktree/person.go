package worktree

import (
	"context"
	"os"
	"os/user"
	"strings"

	"boo/orchestrator"
)

// Person returns the signature that the person's own commits in the repository
// would carry now, and their user name at this host if git knows none.
func (e *Engine) Person(ctx context.Context, common orchestrator.GitDir) orchestrator.Signature {
	call := shared(common, "var", "GIT_AUTHOR_IDENT")
	call.Personal = true
	if out, err := e.git.Run(ctx, call); err == nil {
		name, rest, ok := strings.Cut(string(out.Stdout), " <")
		if email, _, closed := strings.Cut(rest, ">"); ok && closed {
			return orchestrator.Signature{Name: name, Email: email, When: e.opts.Now()}
		}
	}
	name := e.userName()
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return orchestrator.Signature{Name: name, Email: name + "@" + host, When: e.opts.Now()}
}

func (e *Engine) userName() string {
	for _, variable := range []string{"USER", "LOGNAME"} {
		if name := e.git.Person(variable); name != "" {
			return name
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "unknown"
}
