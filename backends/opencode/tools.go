package opencode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"boo/orchestrator"
)

// maxOutput bounds what is kept of a tool's output, in bytes.
const maxOutput = 64 << 10

// toolKinds has the kind of work for each tool, in the words of the events.
var toolKinds = map[string]string{
	"bash": "execute", "edit": "edit", "multiedit": "edit", "write": "edit", "patch": "edit", "apply_patch": "edit",
	"read": "read", "list": "read", "glob": "search", "grep": "search", "codesearch": "search", "websearch": "search",
	"webfetch": "fetch", "todowrite": "think", "todoread": "think",
}

var toolStatus = map[string]string{"pending": "pending", "running": "in_progress", "completed": "completed", "error": "failed"}

// tool passes a tool call on as it stands, if anything of it has changed.
func (t *turn) tool(p part) {
	if p.State == nil || p.CallID == "" {
		return
	}
	before, known := t.tools[p.CallID]
	call := toolCall(p)
	if known && over(before) && !over(call) {
		return // a part that was looked up is newer than an event that waited
	}
	if known && same(before, call) {
		return
	}
	t.tools[p.CallID] = call
	t.sink(orchestrator.Event{Kind: orchestrator.EventTool, Tool: &call})
	if p.Tool == "todowrite" && p.State.Status == "completed" {
		if list, ok := read[struct {
			Todos []todo `json:"todos"`
		}](p.State.Input); ok && list.Todos != nil {
			t.plan(list.Todos)
		}
	}
}

func over(c orchestrator.ToolCall) bool { return c.Status == "completed" || c.Status == "failed" }

func same(a, b orchestrator.ToolCall) bool {
	return a.Status == b.Status && a.Title == b.Title && a.Output == b.Output && bytes.Equal(a.Input, b.Input) &&
		slices.Equal(a.Locations, b.Locations) && slices.Equal(a.Diffs, b.Diffs)
}

func toolCall(p part) orchestrator.ToolCall {
	s := p.State
	input, _ := read[struct {
		File    string `json:"filePath"`
		Path    string `json:"path"`
		Command string `json:"command"`
		Pattern string `json:"pattern"`
	}](s.Input)
	c := orchestrator.ToolCall{
		ID: p.CallID, Kind: cmp.Or(toolKinds[p.Tool], "other"), Status: cmp.Or(toolStatus[s.Status], s.Status),
		Output: cut(cmp.Or(s.Output, s.Error, s.Metadata.Output)),
	}
	file := cmp.Or(input.File, s.Metadata.Filepath, input.Path)
	about := cmp.Or(input.Command, file, input.Pattern, s.Title)
	c.Title = p.Tool
	if about != "" {
		c.Title += " · " + firstLine(about)
	}
	if len(s.Input) > 0 && !bytes.Equal(s.Input, []byte("{}")) {
		c.Input = s.Input
	}
	if file != "" {
		c.Locations = []string{file}
		if c.Kind == "edit" && s.Status == "completed" {
			c.Diffs = []orchestrator.ToolDiff{{Path: file, New: s.Metadata.Exists != nil && !*s.Metadata.Exists}}
		}
	}
	return c
}

// settleTools ends the calls that the turn left running.
func (t *turn) settleTools(why string) {
	for id, call := range t.tools {
		if over(call) {
			continue
		}
		call.Status, call.Unsettled = "failed", true
		call.Output = cut(strings.TrimSpace(call.Output + "\n" + why))
		t.tools[id] = call
		t.sink(orchestrator.Event{Kind: orchestrator.EventTool, Tool: &call})
	}
}

func cut(text string) string {
	if len(text) <= maxOutput {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	const mark = "\n[cut]"
	return strings.ToValidUTF8(text[:maxOutput-len(mark)], "") + mark
}

// step adds what a step has cost, once.
func (t *turn) step(p part) {
	if _, paid := t.steps[p.ID]; paid || p.Tokens == nil {
		return
	}
	t.steps[p.ID] = p
	usage := t.usage()
	usage.ContextUsed = p.Tokens.Input + p.Tokens.Output + p.Tokens.Cache.Read + p.Tokens.Cache.Write
	t.sink(orchestrator.Event{Kind: orchestrator.EventUsage, Usage: &usage})
}

// usage is what the turn has cost so far.
func (t *turn) usage() orchestrator.Usage {
	var sum orchestrator.Usage
	for _, id := range slices.Sorted(maps.Keys(t.steps)) { // so that a sum is always the same
		p := t.steps[id]
		sum = sum.Plus(orchestrator.Usage{
			Input: p.Tokens.Input, Output: p.Tokens.Output + p.Tokens.Reasoning,
			CacheRead: p.Tokens.Cache.Read, CacheWrite: p.Tokens.Cache.Write, Cost: p.Cost, Currency: "USD",
		})
	}
	return sum
}

// about is what a permission request is for, where no tool call is known.
func about(r request) orchestrator.ToolCall {
	c := orchestrator.ToolCall{ID: cmp.Or(r.Tool.Call, r.ID), Status: "pending", Kind: "other"}
	if kind, ok := toolKinds[r.Permission]; ok {
		c.Kind = kind
	}
	return c
}

// described completes a tool call with what the request itself says: the
// directories outside of the tree that it reaches for, above all.
func described(c orchestrator.ToolCall, r request) orchestrator.ToolCall {
	c.Title = strings.TrimSpace(r.Permission + " · " + strings.Join(r.Patterns, " "))
	meta, _ := read[struct {
		File string `json:"filepath"`
	}](r.Metadata)
	if meta.File != "" && !slices.Contains(c.Locations, meta.File) {
		c.Locations = append(slices.Clone(c.Locations), meta.File)
	}
	if r.Permission == "external_directory" {
		for _, pattern := range r.Patterns {
			dir := strings.TrimRight(strings.TrimRight(pattern, "*"), "/")
			if dir != "" && !slices.Contains(c.Locations, dir) {
				c.Locations = append(slices.Clone(c.Locations), dir)
			}
		}
	}
	if len(c.Input) == 0 && json.Valid(r.Metadata) {
		c.Input = r.Metadata
	}
	return c
}
