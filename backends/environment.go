package backends

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
)

// everyAgent lists what every agent gets of the person's environment: what a
// program needs to find its files, its language and the network, and nothing
// that opens a door.
var everyAgent = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TZ", "TMPDIR", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_*",
}

// environment returns the whole environment of an agent, sorted by name.
// Later sources win: the definition's own values, the model, the person's.
// The model that was asked for by name wins over all.
func environment(person []string, def Definition, model string) []string {
	env := maps.Clone(def.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, entry := range person {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || reserved(name) {
			continue
		}
		// A definition's own value for a variable of everyAgent is meant; only
		// EnvPass gives the person's the last word.
		_, set := def.Env[name]
		if named(def.EnvPass, entry) || !set && named(everyAgent, entry) {
			env[name] = value
		}
	}
	if model != "" && def.ModelEnv != "" {
		env[def.ModelEnv] = model
	}
	if def.Quirks.Secret != "" {
		env[def.Quirks.Secret] = rand.Text()
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !reserved(name) {
			list = append(list, name+"="+env[name])
		}
	}
	return list
}

// settled is the definition with what the person's environment decides of it.
func (d Definition) settled(person []string) Definition {
	if d.ModeEnv != "" {
		if mode := lookupEnv(person, d.ModeEnv); mode != "" {
			d.Mode = mode
		}
	}
	return d
}

// reserved reports whether a variable is boo's own: it may hold a secret, or
// mark a process as another run's.
func reserved(name string) bool { return strings.HasPrefix(name, "BOO_") }

// named reports whether a list has a variable, NAME=VALUE: by its name, by a
// prefix of it, or by name and value.
func named(patterns []string, entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, star := strings.CutSuffix(pattern, "*")
		return pattern == name || pattern == entry || star && strings.HasPrefix(name, prefix)
	})
}

// lookupEnv returns the value of a variable, the last one if it is there twice.
func lookupEnv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}
