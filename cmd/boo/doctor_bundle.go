package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boo/cmd/boo/internal/doctor"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// bundle is the whole of what a report holds.
type bundle struct {
	Boo       versionView                        `json:"boo"`
	Git       string                             `json:"git,omitempty"`
	Findings  []doctor.Finding                   `json:"findings"`
	Chats     map[orchestrator.ChatState]int     `json:"chats"`
	Worktrees map[orchestrator.WorktreeState]int `json:"worktrees"`
	OpenTurns map[orchestrator.TurnState]int     `json:"open_turns"`
	Turns     int                                `json:"turns"`
	Pending   int                                `json:"pending_changes"`
	Spares    int                                `json:"spares"`
	Bytes     int64                              `json:"worktree_bytes"`
	Free      int64                              `json:"free_bytes"`
	Agents    []bundledAgent                     `json:"agents"`
	Daemon    *bundledDaemon                     `json:"daemon,omitempty"`
}

type bundledAgent struct {
	Name    orchestrator.AgentName `json:"name"`
	Version string                 `json:"version,omitempty"`
	Source  string                 `json:"source"`
}

type bundledDaemon struct {
	Version string `json:"version"`
	Uptime  int64  `json:"uptime_seconds"`
	Memory  int64  `json:"memory_bytes"`
	orchestrator.Status
}

// writeBundle writes a report for others to read. What names a person or their
// work is taken out of it.
func writeBundle(ctx context.Context, e *env, d dirs, p doctor.Patient, found []doctor.Finding, name string) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	b := bundle{Boo: viewVersion(), Findings: slices.Concat([]doctor.Finding{}, found)}
	hidden := map[string]string{e.Getenv("HOME"): "~", d.Data: "<data>", d.State: "<state>", d.Config: "<config>"}
	if p.Rows != nil {
		if err := b.count(ctx, p, hidden); err != nil {
			return err
		}
	}
	b.look(ctx, e)
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s is there already; nothing was written", name).WithHint("boo doctor --bundle %s.new", name)
	}
	if err == nil {
		_, err = f.Write(append(hide(text, hidden), '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeDenied, "write the report: %w", err)
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("written for you alone to read: " + name))
	}
	return nil
}

// count takes in how much there is of everything, and what the repositories are
// called.
func (b *bundle) count(ctx context.Context, p doctor.Patient, hidden map[string]string) error {
	b.Chats, b.Worktrees, b.OpenTurns = map[orchestrator.ChatState]int{}, map[orchestrator.WorktreeState]int{}, map[orchestrator.TurnState]int{}
	chats, err := p.Rows.Chats(ctx, orchestrator.ChatQuery{})
	for _, c := range chats {
		b.Chats[c.State]++
		b.Worktrees[c.Worktree.State]++
		b.Turns += c.Turns
		b.Pending += c.Pending
		hidden[string(c.RepoRoot)] = "<repository " + string(c.Repo) + ">"
		hidden[string(c.Worktree.CommonDir)] = "<repository " + string(c.Repo) + ">/.git"
	}
	open, turnsErr := p.Rows.OpenTurns(ctx)
	for _, t := range open {
		b.OpenTurns[t.State]++
	}
	spares, sparesErr := p.Rows.Spares(ctx)
	b.Spares = len(spares)
	sizes, sizesErr := p.Rows.Sizes(ctx)
	for _, s := range sizes {
		b.Bytes += s.Bytes
	}
	// What cannot be had is among the findings already.
	b.Git, _ = p.Trees.Version(ctx)
	b.Free, _ = p.Free(p.Worktrees)
	return cmp.Or(err, turnsErr, sparesErr, sizesErr)
}

// look takes in the agents and the daemon, as far as they can be had.
func (b *bundle) look(ctx context.Context, e *env) {
	b.Agents = []bundledAgent{}
	if tools, err := e.agents(); err == nil {
		for _, a := range listAgents(tools.Registry) {
			if a.Installed {
				b.Agents = append(b.Agents, bundledAgent{Name: a.Name, Version: a.Version, Source: sourceWords[a.Source]})
			}
		}
	}
	link, err := e.link()
	if err != nil {
		return
	}
	info, err := link.Info(ctx)
	if err != nil {
		return
	}
	svc := link.Service()
	defer svc.Close()
	b.Daemon = &bundledDaemon{Version: info.Version, Uptime: int64(e.Now().Sub(info.Started).Seconds()), Memory: info.Memory}
	if status, err := svc.Status(ctx); err == nil {
		b.Daemon.Status = status
	}
}

// hide puts other names in the place of names, the longest first: what stands in
// a home goes by its own name.
func hide(text []byte, names map[string]string) []byte {
	var order []string
	for name := range names {
		if len(name) > 1 { // "/" is nobody's name
			order = append(order, name)
		}
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, name := range order {
		text = bytes.ReplaceAll(text, inJSON(name), inJSON(names[name]))
	}
	return text
}

// inJSON is a text as it stands between the quotes of a JSON string.
func inJSON(s string) []byte {
	quoted, _ := json.Marshal(s) // strings always marshal
	return quoted[1 : len(quoted)-1]
}
