package gitcmd

import (
	"slices"
	"strings"
)

// hardened is given to every command and wins over every configuration file.
var hardened = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.askPass=",
	"core.alternateRefsCommand=",
	"core.sparseCheckout=false",
	"core.splitIndex=false",
	"core.safecrlf=false",
	"core.quotePath=true",
	// Above it git would pack a file by itself, where boo does not look.
	"core.bigFileThreshold=2000m",
	"core.logAllRefUpdates=false",
	"core.filesRefLockTimeout=2000",
	"core.packedRefsTimeout=2000",
	"core.fsync=committed,reference",
	"core.fsyncMethod=batch",
	"credential.helper=",
	"safe.bareRepository=explicit",
	"protocol.allow=never",
	"submodule.recurse=false",
	"diff.submodule=short",
	"commit.gpgSign=false",
	"log.showSignature=false",
	"gc.auto=0",
	"maintenance.auto=false",
	// More workers are more processes, and boo's git starts none.
	"checkout.workers=1",
}

// speaking are those of hardened that would keep git from speaking with a remote.
var speaking = []string{"core.askPass", "credential.helper", "protocol.allow"}

func (c Call) argv() []string {
	argv := []string{"--no-pager", "--no-replace-objects"}
	if !c.Magic {
		argv = append(argv, "--literal-pathspecs")
	}
	if c.GitDir != "" {
		argv = append(argv, "--git-dir="+c.GitDir)
	}
	if c.WorkTree != "" {
		argv = append(argv, "--work-tree="+c.WorkTree)
	}
	for _, setting := range hardened {
		if name, _, _ := strings.Cut(setting, "="); !c.Network || !slices.Contains(speaking, name) {
			argv = append(argv, "-c", setting)
		}
	}
	argv = append(argv, unhooked...)
	return append(argv, c.Args...)
}

func (g *Git) environment(c Call) []string {
	if c.Network {
		return append(g.networked(c), c.Env...)
	}
	env := []string{
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_FLUSH=1",
	}
	if c.Personal {
		env = append(env, g.person...)
	} else {
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1")
		env = append(env, only(g.person, "PATH")...)
	}
	if !c.Refresh {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	if c.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.Index)
	}
	if c.Objects != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+c.Objects)
	}
	if c.Borrowed != "" {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(c.Borrowed)
		env = append(env, `GIT_ALTERNATE_OBJECT_DIRECTORIES="`+quoted+`"`)
	}
	return append(env, c.Env...)
}

// networked is the person's environment without what points git at another
// repository than the call's, and with nobody there to ask.
func (g *Git) networked(c Call) []string {
	environ := g.environ
	if c.Environ != nil {
		environ = c.Environ
	}
	return append(without(environ,
		"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_QUARANTINE_PATH", "GIT_CONFIG",
	), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never")
}

func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
}

// personal selects what git needs to find a person's configuration and name.
func personal(environ []string) []string {
	return only(environ, "PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "EMAIL", "TMPDIR",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
}

func only(environ []string, names ...string) []string {
	var kept []string
	for _, pair := range environ {
		if name, _, ok := strings.Cut(pair, "="); ok && slices.Contains(names, name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// Person returns the value of a variable of the person's environment.
func (g *Git) Person(name string) string {
	for _, pair := range g.person {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}
