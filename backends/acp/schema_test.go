package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// official holds a compiled schema for every message that boo may send, by
// method: parameters of requests and notifications, and results of requests
// that the agent makes.
var official = map[string]*jsonschema.Schema{}

// The definitions of the protocol's schema for what boo sends.
var definitions = map[string]string{
	"initialize":                 "InitializeRequest",
	"session/new":                "NewSessionRequest",
	"session/load":               "LoadSessionRequest",
	"session/resume":             "ResumeSessionRequest",
	"session/list":               "ListSessionsRequest",
	"session/close":              "CloseSessionRequest",
	"session/prompt":             "PromptRequest",
	"session/cancel":             "CancelNotification",
	"session/set_mode":           "SetSessionModeRequest",
	"session/set_config_option":  "SetSessionConfigOptionRequest",
	"session/request_permission": "RequestPermissionResponse",
}

func TestMain(m *testing.M) {
	if err := loadSchema(); err != nil {
		fmt.Fprintln(os.Stderr, "load the protocol's schema:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// loadSchema compiles the schema that ships with the protocol's Go module.
func loadSchema() error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/coder/acp-go-sdk").Output()
	if err != nil {
		return err
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "schema", "schema.json")
	compiler := jsonschema.NewCompiler()
	for method, definition := range definitions {
		schema, err := compiler.Compile("file://" + file + "#/$defs/" + definition)
		if err != nil {
			return err
		}
		official[method] = schema
	}
	return nil
}

// conforms checks one value against the official schema of a method; the one
// that came before settings has none.
func conforms(method string, raw json.RawMessage) error {
	if method == "session/set_model" {
		return nil
	}
	schema, ok := official[method]
	if !ok {
		return fmt.Errorf("the protocol has no method %q that boo may use", method)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}
