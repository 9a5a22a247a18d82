package backends

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// plan is what a request comes to on this machine: which program is started,
// how, and in which environment.
type plan struct {
	def      Definition
	protocol Protocol
	found    Found
	program  string
	args     []string
	env      []string
	// identity is the same for two requests if a process started for one can
	// serve the other: program, arguments and environment are equal.
	identity [sha256.Size]byte
}

func (r *Registry) plan(req orchestrator.SessionRequest) (plan, error) {
	def, err := r.Definition(req.Agent)
	if err != nil {
		return plan{}, err
	}
	// Agents differ widely in what they make of a directory that is not there.
	if info, err := os.Stat(string(req.Dir)); !filepath.IsAbs(string(req.Dir)) || err != nil || !info.IsDir() {
		return plan{}, orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s cannot work in %q: not an absolute path of a directory", def.Name, req.Dir)
	}
	p := plan{}
	if p.protocol, err = r.protocol(def); err != nil {
		return plan{}, err
	}
	environ := r.environOf(req.Environ)
	if p.found, err = find(def, r.configured[def.Name], r.data, environ); err != nil {
		return plan{}, err
	}
	p.def = p.found.advise(def.settled(environ))
	p.program, p.args = p.found.command(def.Args)
	p.env = environment(environ, p.def, req.Model)
	p.identity = identify(p)
	return p, nil
}

// unheard are variables that say from which terminal or login a person asks.
// A process is not started anew because the next prompt comes from another.
var unheard = []string{"TERM", "XDG_SESSION_*", "XDG_VTNR", "XDG_SEAT", "XDG_SEAT_PATH"}

// identify takes the fingerprint. The environment holds secrets, so that only
// this is kept of it.
func identify(p plan) [sha256.Size]byte {
	env := slices.DeleteFunc(slices.Clone(p.env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == p.def.Quirks.Secret || named(unheard, name)
	})
	text, _ := json.Marshal([]any{p.def.Name, p.def.Protocol, p.program, p.args, env}) // strings always encode
	return sha256.Sum256(text)
}
