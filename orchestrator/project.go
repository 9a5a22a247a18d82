package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Project is what the .boo.toml of a repository says. It is read from a checkout
// of the person's, never from an agent's tree, and what it would run is run only
// once the person has approved exactly that.
type Project struct {
	Setup    []string      // commands for sh, in a new worktree, in this order
	Teardown []string      // and before it is removed
	EnvPass  []string      // variables that those get of the person's environment, besides the harmless ones
	Limit    time.Duration // how long each may take
	Checks   []Check       // by name
	// RequireChecks has changes checked before every apply.
	RequireChecks bool
	CheckLimit    time.Duration // how long each check may take
	Include       []string      // patterns of ignored files to bring along, besides those of .worktreeinclude
	Sparse        []string      // directories that a worktree has files of; none for all
}

// Check is a command that judges what is in a worktree.
type Check struct {
	Name    string
	Command string // for sh, at the top of the tree
}

// CommandKind names the commands of a project that are approved together.
type CommandKind string

// The kinds.
const (
	WorktreeCommands CommandKind = "worktree" // setup and teardown
	CheckCommands    CommandKind = "checks"
)

// CommandKinds returns every kind.
func CommandKinds() []CommandKind { return []CommandKind{WorktreeCommands, CheckCommands} }

// ProjectCommand is one command of a project as people see it.
type ProjectCommand struct {
	Label   string `json:"label"` // "setup", "teardown", or the name of a check
	Command string `json:"command"`
}

// CommandSet is what a project would run, of one kind.
type CommandSet struct {
	Kind     CommandKind      `json:"kind"`
	Commands []ProjectCommand `json:"commands"`
	EnvPass  []string         `json:"env_pass,omitempty"`
	Digest   string           `json:"digest"` // of all of it
	Approved bool             `json:"approved"`
	At       time.Time        `json:"approved_at,omitzero"`
}

// Commands returns what the project would run of a kind; ok is false when that
// is nothing.
func (p Project) Commands(kind CommandKind) (set CommandSet, ok bool) {
	set = CommandSet{Kind: kind, EnvPass: p.EnvPass}
	add := func(label, command string) {
		set.Commands = append(set.Commands, ProjectCommand{Label: label, Command: command})
	}
	if kind == CheckCommands {
		for _, c := range p.Checks {
			add(c.Name, c.Command)
		}
	} else {
		for _, command := range p.Setup {
			add("setup", command)
		}
		for _, command := range p.Teardown {
			add("teardown", command)
		}
	}
	text, err := json.Marshal(set)
	if err != nil {
		return CommandSet{}, false // strings always marshal
	}
	sum := sha256.Sum256(text)
	set.Digest = hex.EncodeToString(sum[:])
	return set, len(set.Commands) > 0
}

// Projects reads project files. Package main implements it.
type Projects interface {
	// Project reads the project file at the top of a checkout. Without one the
	// project is the zero one. CodeInvalid where it is not well-formed.
	Project(ctx context.Context, dir CheckoutDir) (Project, error)
}

// noProjects stands for no project file anywhere.
type noProjects struct{}

func (noProjects) Project(context.Context, CheckoutDir) (Project, error) { return Project{}, nil }

// Commands runs commands of repositories that the person has approved, and the
// person's own hooks. Package backends implements it.
type Commands interface {
	// Run gives a command to sh, or starts a program, and returns when nothing of it is alive any more.
	// A command that fails is no error.
	Run(ctx context.Context, req CommandRequest) (CommandResult, error)
}

// CommandRequest is a command and what it gets.
type CommandRequest struct {
	Command string
	// Args, if there are any, are a program and its arguments that are run in
	// place of Command, and read by no shell.
	Args    []string
	Input   []byte // what it is given to read
	Dir     WorktreeDir
	Env     []string // boo's own variables, "NAME=value"
	EnvPass []string // names of the person's variables that it gets besides the harmless ones; "*" is all
	// Environ is the person's environment; nil stands for that of the process.
	Environ []string
	Limit   time.Duration // after which it is ended; 0 for none

	// Output, if not nil, is passed what the command writes, both streams, piece
	// by piece, by one goroutine.
	Output func(piece []byte)
	// Started, if not nil, is told the process right after it was started.
	Started func(Process)
}

// CommandResult is how a command ended.
type CommandResult struct {
	Exit     int    // status; -1 where a signal ended it
	TimedOut bool   // it was ended at its limit
	Tail     string // the last 8 KiB that it wrote
	Took     time.Duration
}

// OK reports whether the command succeeded.
func (r CommandResult) OK() bool { return r.Exit == 0 && !r.TimedOut }
