package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// toolCall is a call of one of the tools that a request offers.
type toolCall struct {
	ID   string
	Name string
	Args string // JSON
}

// The names that agents give to the tools of each verb, and to the arguments.
// A tool may stand in a namespace: "developer__shell".
var (
	toolNames = map[Verb][]string{
		Write: {"write", "write_file", "create_file"},
		Edit:  {"edit", "replace", "edit_file", "str_replace"},
		Run:   {"shell", "bash", "run_shell_command", "exec_command"},
		Plan:  {"update_plan", "todo_write", "todowrite", "write_todos"},
	}
	pathArgs    = []string{"path", "file_path", "filePath"}
	contentArgs = []string{"content", "contents", "file_text"}
	oldArgs     = []string{"before", "old_string", "oldString", "old_str"}
	newArgs     = []string{"after", "new_string", "newString", "new_str"}
	commandArgs = []string{"command", "cmd"}
	planArgs    = []string{"plan", "todos", "content"}
)

// callFor turns a step into a call of a tool that is offered; ok is false if
// none will do.
func callFor(step Step, req request, id string) (call toolCall, ok bool) {
	if step.Verb == Call {
		return toolCall{ID: id, Name: step.Text, Args: string(step.Args)}, true
	}
	for _, name := range toolNames[step.Verb] {
		for _, t := range req.Tools {
			if !strings.EqualFold(t.Name, name) && !strings.HasSuffix(t.Name, "__"+name) {
				continue
			}
			if args, ok := arguments(step.absolute(t, req), t); ok {
				return toolCall{ID: id, Name: t.Name, Args: args}, true
			}
		}
	}
	if command, ok := step.command(); ok {
		return callFor(Step{Verb: Run, Text: command}, req, id)
	}
	return toolCall{}, false
}

// arguments fills the arguments of a tool; ok is false if it does not take
// what the step has to say.
func arguments(step Step, t tool) (args string, ok bool) {
	values := map[string]any{}
	set := func(names []string, value any) bool {
		i := slices.IndexFunc(names, func(name string) bool { return t.Properties[name] != nil })
		if i >= 0 {
			values[names[i]] = value
		}
		return i >= 0
	}
	switch step.Verb {
	case Write:
		ok = set(pathArgs, step.Path) && set(contentArgs, step.Text)
	case Edit:
		ok = set(pathArgs, step.Path) && set(oldArgs, step.Old) && set(newArgs, step.Text)
		if t.Properties["instruction"] != nil {
			values["instruction"] = "Replace a text"
		}
	case Run:
		ok = set(commandArgs, step.Text)
		if t.Properties["description"] != nil {
			values["description"] = "Run a command"
		}
	case Plan:
		ok = setPlan(step.List, t, values)
	}
	data, err := json.Marshal(values)
	return string(data), ok && err == nil
}

// setPlan fills the argument of a planning tool, which takes a list of objects
// or one text.
func setPlan(list []string, t tool, values map[string]any) bool {
	i := slices.IndexFunc(planArgs, func(name string) bool { return t.Properties[name] != nil })
	if i < 0 {
		return false
	}
	if planArgs[i] == "content" {
		values["content"] = "- [ ] " + strings.Join(list, "\n- [ ] ")
		return true
	}
	entries := make([]map[string]string, len(list))
	for n, text := range list {
		status := "pending"
		if n == 0 {
			status = "in_progress"
		}
		// One list names the text "step", the other "content" or "description".
		entries[n] = map[string]string{"status": status}
		if planArgs[i] == "plan" {
			entries[n]["step"] = text
			continue
		}
		entries[n]["content"], entries[n]["description"] = text, text
		entries[n]["id"], entries[n]["priority"] = fmt.Sprint(n+1), "medium"
	}
	values[planArgs[i]] = entries
	return true
}
