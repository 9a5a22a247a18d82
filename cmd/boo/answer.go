package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"boo/orchestrator"
)

// answer gathers the last message of a turn.
type answer struct {
	text    strings.Builder
	message string
	over    bool // something else came after the text
}

func (a *answer) note(ev orchestrator.Event) {
	switch ev.Kind {
	case orchestrator.EventTool, orchestrator.EventPlan:
		a.over = true
	case orchestrator.EventText:
		if ev.MessageID != a.message || a.over && ev.MessageID == "" {
			a.text.Reset()
		}
		a.message, a.over = ev.MessageID, false
		a.text.WriteString(ev.Text)
	}
}

// answerSchema is what the answer of a turn has to be: JSON of a certain form.
type answerSchema struct {
	text     string // as the agent is told it
	compiled *jsonschema.Schema
}

// readSchema reads a JSON Schema. What it refers to may be in other files, and
// is never fetched.
func readSchema(path string) (*answerSchema, error) {
	bad := func(code orchestrator.Code, err error) error {
		return orchestrator.Errorf(code, "--output-schema: %w; nothing was sent", err)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, bad(orchestrator.CodeNotFound, err)
	}
	if err != nil {
		return nil, bad(orchestrator.CodeDenied, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, bad(orchestrator.CodeInternal, err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, bad(orchestrator.CodeInvalid, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{"file": jsonschema.FileLoader{}})
	if err := compiler.AddResource(path, doc); err != nil {
		return nil, bad(orchestrator.CodeInvalid, err)
	}
	compiled, err := compiler.Compile(path)
	if err != nil {
		return nil, bad(orchestrator.CodeInvalid, err)
	}
	return &answerSchema{text: string(text), compiled: compiled}, nil
}

// ask adds to a prompt what its answer has to be.
func (s *answerSchema) ask(prompt string) string {
	return prompt + "\n\nWhen you are done, answer with one JSON value and nothing else, no prose and no fence around it. " +
		"It has to be valid against this JSON Schema:\n" + s.text
}

// check returns the JSON that an answer is, as the agent wrote it. A fence
// around it is taken off.
func (s *answerSchema) check(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if inside, ok := strings.CutPrefix(text, "```"); ok {
		_, inside, _ = strings.Cut(inside, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(inside, "```"))
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "the answer is not JSON: %w", err)
	}
	err = s.compiled.Validate(value)
	if wrong, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		_, where, _ := strings.Cut(wrong.Error(), "\n")
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "the answer does not fit the schema: %s", strings.Join(strings.Fields(where), " "))
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}
