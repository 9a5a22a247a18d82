package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"boo/orchestrator"
)

// Report is what [Registry.Doctor] found out about one agent. It is printed as
// JSON by "boo agents doctor --json".
type Report struct {
	Agent    orchestrator.AgentName `json:"agent"`
	Title    string                 `json:"title"`
	Found    *Found                 `json:"found,omitempty"`    // nil: not installed
	Version  string                 `json:"version,omitempty"`  // as the running agent said
	Protocol string                 `json:"protocol,omitempty"` // "acp/1"; "" if the handshake failed
	Caps     json.RawMessage        `json:"capabilities,omitempty"`
	Can      []string               `json:"can,omitempty"`     // what boo uses of them: "load", "resume", "list", "close"
	Lacks    []string               `json:"lacks,omitempty"`   // the others of these
	Took     orchestrator.Millis    `json:"took_ms,omitempty"` // from the start to a usable session
	Ready    bool                   `json:"ready"`             // a session could be opened
	Memory   *Memory                `json:"memory,omitempty"`  // nil: not tried
	Problem  string                 `json:"problem,omitempty"` // why not, in words
	Hint     string                 `json:"hint,omitempty"`    // the command to run next
	Code     orchestrator.Code      `json:"code,omitempty"`    // of the problem
}

// OpenError is what a [Protocol] returns when the agent has introduced itself,
// but no session came about: what it said is not lost with the error.
type OpenError struct {
	Info orchestrator.SessionInfo // without rung and session id
	Err  error
}

// Error returns the message of the cause.
func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// Doctor starts the agent in a fresh temporary directory, opens a session
// there, ends it, and reports how far it came. With memory it also has the
// agent's model remember a word, ends the process and asks a new one for it:
// two model calls. What is wrong with the agent is in the report; an error is
// returned only if there is no such agent or the machine gave no directory to
// try it in. No process is left.
func (r *Registry) Doctor(ctx context.Context, name orchestrator.AgentName, memory bool) (Report, error) {
	def, err := r.Definition(name)
	if err != nil {
		return Report{}, err
	}
	report := Report{Agent: name, Title: def.Title}
	found, err := r.Find(name)
	if err != nil {
		return report.with(err), nil
	}
	report.Found = &found

	dir, err := os.MkdirTemp("", "boo-doctor-")
	if err != nil {
		return Report{}, fmt.Errorf("make a directory to try agent %s in: %w", name, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	began := time.Now()
	session, err := r.Start(ctx, orchestrator.SessionRequest{Agent: name, Dir: orchestrator.WorktreeDir(dir)})
	if err != nil {
		if opened, ok := errors.AsType[*OpenError](err); ok {
			report = report.told(opened.Info)
		}
		return report.with(err), nil
	}
	report = report.told(session.Info())
	report.Took = orchestrator.Millis(time.Since(began).Milliseconds())
	if memory {
		tried := r.remember(ctx, session, orchestrator.WorktreeDir(dir), name)
		report.Memory = &tried
	}
	if err := session.Close(context.WithoutCancel(ctx)); err != nil {
		return report.with(err), nil
	}
	report.Ready = true
	return report, nil
}

func (r Report) told(info orchestrator.SessionInfo) Report {
	r.Version, r.Protocol, r.Caps = info.Version, info.Protocol, info.Caps
	r.Can, r.Lacks = Abilities(info.Caps)
	return r
}

// Abilities sorts what boo makes use of by whether an agent advertises it in its
// capabilities, which are in the form of the Agent Client Protocol.
func Abilities(caps json.RawMessage) (can, lacks []string) {
	var c struct {
		Load    bool                       `json:"loadSession"`
		Session map[string]json.RawMessage `json:"sessionCapabilities"`
	}
	_ = json.Unmarshal(caps, &c) // what is advertised in another form is not advertised
	for _, name := range []string{"load", "resume", "list", "close", "delete"} {
		if name == "load" && c.Load || c.Session[name] != nil && string(c.Session[name]) != "null" {
			can = append(can, name)
			continue
		}
		lacks = append(lacks, name)
	}
	return can, lacks
}

func (r Report) with(err error) Report {
	r.Problem, r.Code = err.Error(), orchestrator.CodeOf(err)
	// To see the doctor is the advice of most failures, but no help from itself.
	if hint := orchestrator.HintOf(err); !strings.HasPrefix(hint, "boo agents doctor") {
		r.Hint = hint
	}
	return r
}
