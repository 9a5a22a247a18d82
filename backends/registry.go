package backends

import (
	"context"
	"maps"
	"slices"
	"strings"

	"boo/orchestrator"
)

// Options is what a [Registry] is made of.
type Options struct {
	Launcher  Launcher
	Protocols map[string]Protocol // by the name that definitions use
	// Custom holds the [agents.NAME] tables of the configuration.
	Custom map[orchestrator.AgentName]Custom
	// Data is boo's data directory, absolute; "" if there is none.
	Data string
	// Environ is the person's environment, "NAME=value".
	Environ []string
}

// Registry finds and starts agents. It never changes after [New], so its
// methods may be called concurrently.
type Registry struct {
	launcher   Launcher
	protocols  map[string]Protocol
	data       string
	environ    []string
	defs       map[orchestrator.AgentName]Definition
	configured map[orchestrator.AgentName]bool // command is the configuration's
}

var _ orchestrator.Agents = (*Registry)(nil)

// New makes a registry of the built-in agents and those of the configuration.
// A table of the configuration that makes no sense is CodeInvalid.
func New(o Options) (*Registry, error) {
	r := &Registry{
		launcher:   o.Launcher,
		protocols:  o.Protocols,
		data:       o.Data,
		environ:    o.Environ,
		defs:       map[orchestrator.AgentName]Definition{},
		configured: map[orchestrator.AgentName]bool{},
	}
	for _, def := range Builtin() {
		r.defs[def.Name] = def
	}
	for _, name := range slices.Sorted(maps.Keys(o.Custom)) {
		custom := o.Custom[name]
		def, builtin := r.defs[name]
		if err := custom.check(name, builtin); err != nil {
			return nil, err
		}
		if !builtin {
			def = Definition{Name: name, Title: string(name), Protocol: "acp", Quirks: Quirks{StartTime: customStart}}
		}
		def = custom.apply(def)
		if _, ok := o.Protocols[def.Protocol]; !ok {
			return nil, orchestrator.Errorf(orchestrator.CodeInvalid, "agents.%s in the configuration: boo does not speak %q, only %s",
				name, def.Protocol, strings.Join(slices.Sorted(maps.Keys(o.Protocols)), ", "))
		}
		r.defs[name], r.configured[name] = def, len(custom.Command) > 0
	}
	return r, nil
}

// Definitions returns all agents by name.
func (r *Registry) Definitions() []Definition {
	var defs []Definition
	for _, name := range slices.Sorted(maps.Keys(r.defs)) {
		defs = append(defs, r.defs[name])
	}
	return defs
}

// Definition returns one agent; CodeNotFound names those that exist.
func (r *Registry) Definition(name orchestrator.AgentName) (Definition, error) {
	def, ok := r.defs[name]
	if !ok {
		var known []string
		for _, def := range r.Definitions() {
			known = append(known, string(def.Name))
		}
		return Definition{}, orchestrator.Errorf(orchestrator.CodeNotFound, "there is no agent %q; there is: %s", name, strings.Join(known, ", ")).
			WithHint("boo agents ls")
	}
	return def, nil
}

// Find returns the agent's program: the configured command, else PATH, else
// boo's own directory. CodeNotFound if there is no such agent, CodeAgent if
// its program is nowhere.
func (r *Registry) Find(name orchestrator.AgentName) (Found, error) {
	def, err := r.Definition(name)
	if err != nil {
		return Found{}, err
	}
	return find(def, r.configured[name], r.data, r.environ)
}

// Check reports nil if the agent is known, boo speaks its protocol and its
// program is there. Nothing is started.
func (r *Registry) Check(_ context.Context, name orchestrator.AgentName, environ []string) error {
	def, err := r.Definition(name)
	if err != nil {
		return err
	}
	if _, err := r.protocol(def); err != nil {
		return err
	}
	_, err = find(def, r.configured[name], r.data, r.environOf(environ))
	return err
}

// environOf returns the environment that counts for a request.
func (r *Registry) environOf(environ []string) []string {
	if environ == nil {
		return r.environ
	}
	return environ
}

// Kin lists the other agents of the same store of sessions.
func (r *Registry) Kin(name orchestrator.AgentName) []orchestrator.AgentName {
	var kin []orchestrator.AgentName
	own := r.defs[name].Sessions
	for _, def := range r.Definitions() {
		if own != "" && def.Sessions == own && def.Name != name {
			kin = append(kin, def.Name)
		}
	}
	return kin
}

// Evict does nothing: a registry keeps nothing warm.
func (r *Registry) Evict(context.Context, orchestrator.ChatID, orchestrator.AgentName) error {
	return nil
}

// Live returns nothing: who started a session knows of it.
func (r *Registry) Live() []orchestrator.LiveAgent { return nil }

// Close does nothing: who started a session closes it.
func (r *Registry) Close(context.Context) error { return nil }

func (r *Registry) protocol(def Definition) (Protocol, error) {
	protocol, ok := r.protocols[def.Protocol]
	if !ok {
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s speaks %s, which this boo does not", def.Name, def.Protocol)
	}
	return protocol, nil
}
