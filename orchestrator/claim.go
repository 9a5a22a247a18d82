package orchestrator

import (
	"encoding/json"
	"slices"
	"strings"
)

// claim is what a request asks for, read from its raw input: the title, the
// names of options and, where the input says otherwise, the kind are only the
// agent's words.
type claim struct {
	kind    string
	command string   // the whole line; "" if it runs none
	simple  []string // the simple commands of the line
	opaque  bool     // what the line runs shows only when it runs
	far     bool     // it runs what is made to reach out of the worktree
	places  []place  // in the order in which they are said
}

// The names of fields that hold paths, without "_" and "-", in lower case.
var pathFields = map[string]bool{
	"path": true, "paths": true, "filepath": true, "filepaths": true, "file": true, "files": true, "filename": true, "filenames": true,
	"absolutepath": true, "relativepath": true, "notebookpath": true, "rootpath": true, "dirpath": true, "directorypath": true,
	"directory": true, "dir": true, "folder": true, "root": true,
	"source": true, "src": true, "sourcepath": true, "destination": true, "dest": true, "destinationpath": true, "target": true, "targetpath": true,
	"oldpath": true, "newpath": true, "from": true, "to": true,
}

var (
	dirFields     = []string{"cwd", "workdir", "workingdirectory", "workingdir"}
	commandFields = []string{"command", "cmd", "script", "commandline"}
	contentFields = []string{"content", "contents", "filetext", "newstring", "newstr", "newtext", "oldstring", "oldstr", "edits", "patch", "diff", "after", "changes"}
	// The commands of tools that edit and are no shells.
	editorCommands = []string{"create", "write", "str_replace", "insert", "undo_edit", "edit", "replace"}
)

// claimOf reads a request.
func claimOf(t *tree, call ToolCall) claim {
	f := readFields(call.Input)
	c := claim{}
	base := t.root
	for _, name := range dirFields {
		if dir := f.text(name); dir != "" {
			p := t.place(t.root, dir)
			c.places = append(c.places, p)
			base = p.lexical
		}
	}
	for _, said := range slices.Concat(call.Locations, f.paths) {
		c.places = append(c.places, t.place(base, said))
	}
	for _, d := range call.Diffs {
		c.places = append(c.places, t.place(base, d.Path))
	}
	line, words := f.command()
	c.kind = kindOf(call, f, line)
	if c.kind == "execute" && line != "" {
		c.run(t, base, line, words)
	}
	return c
}

// run takes in a command. words are those of one that no shell reads.
func (c *claim) run(t *tree, base, line string, words []string) {
	c.command = strings.TrimSpace(line)
	read := commandLine{commands: [][]string{words}}
	if words == nil {
		read = readCommand(c.command)
	} else {
		read.inner(words)
	}
	c.opaque = read.opaque
	for _, simple := range read.commands {
		c.simple = append(c.simple, strings.Join(simple, " "))
		c.far = c.far || reachesOut(simple)
		for i, word := range simple {
			c.places = append(c.places, placesIn(t, base, word, i == 0)...)
		}
	}
}

// kindOf is the kind of a request. An agent that says less than the input does
// is not believed.
func kindOf(call ToolCall, f fields, line string) string {
	if line != "" {
		return "execute"
	}
	edits := len(call.Diffs) > 0 || slices.ContainsFunc(contentFields, f.has) ||
		f.has("command") && slices.Contains(editorCommands, f.text("command"))
	said := call.Kind
	if !slices.Contains(requestKinds, said) {
		said = "other"
	}
	switch {
	case edits && (said == "other" || said == "read" || said == "search" || said == "think"):
		return "edit"
	case said == "other" && f.has("url"):
		return "fetch"
	}
	return said
}

// fields is a raw input, by the names of its fields.
type fields struct {
	values map[string]json.RawMessage // of the outermost object
	paths  []string                   // of all objects
}

func fieldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

func readFields(input json.RawMessage) fields {
	f := fields{values: map[string]json.RawMessage{}}
	var object map[string]json.RawMessage
	if json.Unmarshal(input, &object) == nil {
		for name, value := range object {
			f.values[fieldName(name)] = value
		}
	}
	var all any
	if json.Unmarshal(input, &all) == nil {
		f.collect(all, false)
	}
	slices.Sort(f.paths) // objects have no order
	return f
}

// collect gathers the paths in a value; isPath says that its field is one of
// paths.
func (f *fields) collect(value any, isPath bool) {
	switch v := value.(type) {
	case string:
		if v = strings.TrimPrefix(v, "file://"); isPath && v != "" && !strings.Contains(v, "://") {
			f.paths = append(f.paths, v)
		}
	case []any:
		for _, item := range v {
			f.collect(item, isPath)
		}
	case map[string]any:
		for name, item := range v {
			if strings.HasPrefix(name, "/") { // a map by path
				f.paths = append(f.paths, name)
			}
			f.collect(item, pathFields[fieldName(name)])
		}
	}
}

func (f fields) has(name string) bool { return f.values[name] != nil }

func (f fields) text(name string) string {
	var text string
	_ = json.Unmarshal(f.values[name], &text) // what is no text is none
	return text
}

// command returns the command line, and its words if it is given as a list.
func (f fields) command() (line string, words []string) {
	for _, name := range commandFields {
		if text := f.text(name); text != "" {
			if len(f.paths) > 0 && (text == "view" || slices.Contains(editorCommands, text)) {
				return "", nil
			}
			return text, nil
		}
		var list []string
		if json.Unmarshal(f.values[name], &list) == nil && len(list) > 0 {
			return strings.Join(list, " "), list
		}
	}
	return "", nil
}
