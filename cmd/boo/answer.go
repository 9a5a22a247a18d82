package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

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
	compiled *jsonschema.Resolved
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
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, bad(orchestrator.CodeInvalid, err)
	}
	if name := unknownType(reflect.ValueOf(&schema)); name != "" {
		return nil, bad(orchestrator.CodeInvalid, fmt.Errorf("there is no type %q", name))
	}
	at := url.URL{Scheme: "file", Path: path}
	compiled, err := schema.Resolve(&jsonschema.ResolveOptions{BaseURI: at.String(), Loader: schemaIn})
	if err != nil {
		return nil, bad(orchestrator.CodeInvalid, err)
	}
	return &answerSchema{text: string(text), compiled: compiled}, nil
}

var jsonTypes = []string{"", "null", "boolean", "object", "array", "number", "string", "integer"}

// unknownType finds a type in a schema, or in one below it, that JSON does not
// have: no answer would fit. "" says that there is none.
func unknownType(v reflect.Value) (name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*jsonschema.Schema]() || v.IsNil() || !v.CanInterface() {
			return ""
		}
		s := v.Interface().(*jsonschema.Schema)
		for _, name := range slices.Concat(s.Types, []string{s.Type}) {
			if !slices.Contains(jsonTypes, name) {
				return name
			}
		}
		for _, field := range v.Elem().Fields() {
			name = cmp.Or(name, unknownType(field))
		}
	case reflect.Slice:
		for i := range v.Len() {
			name = cmp.Or(name, unknownType(v.Index(i)))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			name = cmp.Or(name, unknownType(v.MapIndex(key)))
		}
	}
	return name
}

// schemaIn reads a schema that another one refers to.
func schemaIn(at *url.URL) (*jsonschema.Schema, error) {
	if at.Scheme != "file" {
		return nil, fmt.Errorf("%s is not a file, and nothing is fetched", at)
	}
	text, err := os.ReadFile(at.Path)
	if err != nil {
		return nil, err
	}
	schema := &jsonschema.Schema{}
	return schema, json.Unmarshal(text, schema)
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
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "the answer is not JSON: %w", err)
	}
	if err := s.compiled.Validate(value); err != nil {
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "the answer does not fit the schema: %w", err)
	}
	return json.RawMessage(text), nil
}
