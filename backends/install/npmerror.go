package install

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"boo/backends"
	"boo/orchestrator"
)

// The codes by which npm and node tell what went wrong; npm prints them in
// lines of their own ("npm error code ENOSPC").
var (
	npmFull    = lazily(`\b(ENOSPC|EDQUOT)\b`)
	npmDenied  = lazily(`\b(EACCES|EPERM|EROFS)\b`)
	npmOffline = lazily(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|EPIPE|FETCH_ERROR)\b`)
	npmMissing = lazily(`\bcode (E404|ETARGET)\b`)
	npmForeign = lazily(`\bcode EBADPLATFORM\b`)
	npmEngine  = lazily(`\bcode EBADENGINE\b`)
	npmLine    = lazily(`(?m)^npm (?:error|ERR!) (.*)$`)
)

// lazily compiles an expression when it is asked for: every command would wait
// for what hardly any needs.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// npmError says in words why npm ended with an error.
func (i Installer) npmError(ctx context.Context, def backends.Definition, err error, said string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return i.agentError(def, "npm cannot be started: %w", err).WithHint("npm --version")
	}
	again := "boo agents install " + string(def.Name)
	what := def.Package.Name + "@" + def.Package.Version
	switch {
	case npmFull().MatchString(said):
		return i.full(def, "npm says: %s", npmReason(said))
	case npmMissing().MatchString(said):
		return orchestrator.Errorf(orchestrator.CodeNotFound, "npm does not find %s where it is configured to look: %s", what, npmReason(said)).
			WithHint("npm view %s version", what)
	case npmForeign().MatchString(said):
		return i.agentError(def, "%s is not made for this machine (%s/%s)", what, runtime.GOOS, runtime.GOARCH)
	case npmEngine().MatchString(said):
		return i.agentError(def, "%s does not run on the node that is on PATH: %s", what, npmReason(said)).WithHint("node --version")
	case npmOffline().MatchString(said):
		return i.agentError(def, "npm cannot reach its registry: %s", npmReason(said)).
			WithHint("check the network, the proxy and npm ping, then: %s", again)
	case npmDenied().MatchString(said):
		return orchestrator.Errorf(orchestrator.CodeDenied, "npm may not write where it has to: %s", npmReason(said)).
			WithHint("npm config get cache")
	}
	return i.agentError(def, "npm install %s ended with %w: %s", what, err, npmReason(said)).WithHint("%s", again)
}

// npmReason returns the lines in which npm explains itself, in one.
func npmReason(said string) string {
	var lines []string
	for _, m := range npmLine().FindAllStringSubmatch(said, -1) {
		line := strings.TrimSpace(m[1])
		if line != "" && !strings.HasPrefix(line, "A complete log") && len(lines) < 4 {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return (&output{buf: []byte(said)}).last()
	}
	return strings.Join(lines, "; ")
}

func (i Installer) agentError(def backends.Definition, format string, args ...any) *orchestrator.Error {
	err := orchestrator.Errorf(orchestrator.CodeAgent, format, args...)
	return orchestrator.Errorf(orchestrator.CodeAgent, "install %s: %w", def.Name, err)
}
