package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"boo/orchestrator"
)

const (
	maxOutput = 64 << 10 // text kept of a tool's output
	maxInput  = 64 << 10 // bytes of a tool's input that are kept as they are
	maxValue  = 1 << 10  // what is kept of each string of a longer input
	maxCalls  = 1024     // of a turn that are remembered
)

// toolUpdate is a tool call, or what changed of one: a field that is nil was
// not told.
type toolUpdate struct {
	ID        string          `json:"toolCallId"`
	Title     *string         `json:"title"`
	Kind      *string         `json:"kind"`
	Status    *string         `json:"status"`
	Locations []location      `json:"locations"`
	Content   []toolContent   `json:"content"`
	RawInput  json.RawMessage `json:"rawInput"`
	RawOutput json.RawMessage `json:"rawOutput"`
	Meta      struct {
		Output struct {
			Data string `json:"data"`
		} `json:"terminal_output_delta"` // codex's: output by pieces
	} `json:"_meta"`
}

type location struct {
	Path string `json:"path"`
}

type toolContent struct {
	Type    string          `json:"type"` // content, diff, terminal
	Content *content        `json:"content"`
	Path    string          `json:"path"`
	OldText json.RawMessage `json:"oldText"`
}

func decodeTool(raw json.RawMessage) (toolUpdate, bool) {
	var u toolUpdate
	err := json.Unmarshal(raw, &u)
	return u, err == nil && u.ID != ""
}

// toolbox holds a turn's tool calls as they stand.
type toolbox struct {
	calls map[string]*orchestrator.ToolCall
	order []string // of their first update
	noise []string // beginnings of lines of output that are left out
}

// merge takes an update in and returns the whole call. changed is false when
// the update told nothing new.
func (b *toolbox) merge(u toolUpdate) (call orchestrator.ToolCall, changed bool) {
	known := b.calls[u.ID]
	if known == nil {
		if b.calls == nil {
			b.calls = map[string]*orchestrator.ToolCall{}
		}
		// goose tells neither kind nor status at first.
		known = &orchestrator.ToolCall{ID: u.ID, Status: "pending"}
		b.makeRoom()
		b.calls[u.ID], changed = known, true
		b.order = append(b.order, u.ID)
	}
	changed = setText(&known.Title, u.Title) || changed
	changed = setText(&known.Kind, u.Kind) || changed
	changed = setText(&known.Status, u.Status) || changed
	if u.Locations != nil {
		var paths []string
		for _, l := range u.Locations {
			paths = append(paths, l.Path)
		}
		changed = changed || !slices.Equal(paths, known.Locations)
		known.Locations = paths
	}
	if told(u.RawInput) {
		known.Input, changed = boundInput(u.RawInput), true
	}
	if output := b.quiet(u.output()); output != "" || u.Content != nil && known.Output == "" {
		changed = changed || known.Output != output
		known.Output = output
	}
	if more := u.Meta.Output.Data; more != "" {
		known.Output, changed = cutText(known.Output+more), true
	}
	if diffs := u.diffs(); diffs != nil {
		known.Diffs, changed = diffs, true
	}
	return snapshotOf(known), changed
}

// quiet leaves out lines that are noise.
func (b *toolbox) quiet(output string) string {
	if len(b.noise) == 0 || output == "" {
		return output
	}
	lines := slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
		return slices.ContainsFunc(b.noise, func(begin string) bool { return strings.HasPrefix(line, begin) })
	})
	return strings.Join(lines, "\n")
}

// fail ends the calls that never came to an end of their own, and returns
// them.
func (b *toolbox) fail(why string) []orchestrator.ToolCall {
	var failed []orchestrator.ToolCall
	for _, id := range b.order {
		call := b.calls[id]
		if finished(call) {
			continue
		}
		call.Status, call.Unsettled = "failed", true
		if call.Output != "" {
			call.Output += "\n"
		}
		call.Output = cutText(call.Output + why)
		failed = append(failed, snapshotOf(call))
	}
	return failed
}

// makeRoom forgets the oldest call that is finished, or the oldest of all,
// once there are too many to remember.
func (b *toolbox) makeRoom() {
	if len(b.order) < maxCalls {
		return
	}
	i := max(slices.IndexFunc(b.order, func(id string) bool { return finished(b.calls[id]) }), 0)
	delete(b.calls, b.order[i])
	b.order = slices.Delete(b.order, i, i+1)
}

func finished(call *orchestrator.ToolCall) bool {
	return call.Status == "completed" || call.Status == "failed"
}

// snapshotOf copies a call: an event keeps it while the call goes on changing.
// Slices are replaced as a whole, never written to.
func snapshotOf(call *orchestrator.ToolCall) orchestrator.ToolCall { return *call }

func setText(to *string, from *string) bool {
	if from == nil || *from == "" || *to == *from {
		return false
	}
	*to = *from
	return true
}

func told(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// output joins the text of an update's content. An agent that gives its output
// only in raw form (a string) is heard too.
func (u toolUpdate) output() string {
	var texts []string
	for _, c := range u.Content {
		if c.Type == "content" && c.Content != nil && c.Content.Text != "" {
			texts = append(texts, c.Content.Text)
		}
	}
	if texts == nil {
		var text string
		if json.Unmarshal(u.RawOutput, &text) == nil {
			return cutText(text)
		}
	}
	return cutText(strings.Join(texts, "\n"))
}

// diffs names the changed files. A file is new only if the agent says that
// there was no old text: some leave it out for files that were there.
func (u toolUpdate) diffs() []orchestrator.ToolDiff {
	var diffs []orchestrator.ToolDiff
	for _, c := range u.Content {
		if c.Type == "diff" {
			diffs = append(diffs, orchestrator.ToolDiff{Path: c.Path, New: string(c.OldText) == "null"})
		}
	}
	return diffs
}

// boundInput keeps an input as it is, or, when it is long, with its long
// strings cut: whole files stand in them, and every event repeats the call.
func boundInput(raw json.RawMessage) json.RawMessage {
	if len(raw) <= maxInput {
		return raw
	}
	var value any
	if json.Unmarshal(raw, &value) == nil {
		if short, err := json.Marshal(shorten(value)); err == nil && len(short) <= maxInput {
			return short
		}
	}
	return json.RawMessage(`"[cut]"`)
}

func shorten(value any) any {
	switch v := value.(type) {
	case string:
		if len(v) > maxValue {
			return cut(v, maxValue) + "[cut]"
		}
	case []any:
		for i := range v {
			v[i] = shorten(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = shorten(v[k])
		}
	}
	return value
}
