package opencode

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

const (
	passwordVar = "OPENCODE_SERVER_PASSWORD"
	usernameVar = "OPENCODE_SERVER_USERNAME"
	configVar   = "OPENCODE_CONFIG_CONTENT"
)

// dirVar marks what commands of one directory have started, however it forks and
// whatever session it is in: other chats' commands are below the same server.
const dirVar = "BOO_RUN_DIR"

// discreet is a plugin of the server's: the commands that agents run do not find
// the server's password in their environment, and so it is in no log and goes to
// no model because one of them prints that. The server itself keeps it. Who wants
// it can read it where the system shows the environment of processes: it is the
// same person's. It also sets dirVar.
const discreet = `// Written by boo; see its documentation on opencode.
export const Discreet = async ({ directory }) => ({
  "shell.env": async (_, output) => {
    output.env.` + passwordVar + ` = ""
    output.env.` + dirVar + ` = directory
  },
})
`

// environment gives a server its password, and the plugin that hides it, which is
// added to what the person has configured by a variable.
func (p Protocol) environment(env []string, password string) ([]string, error) {
	env = set(set(env, passwordVar, password), usernameVar, user)
	if p.Dir == "" {
		return env, nil
	}
	path := filepath.Join(p.Dir, "discreet.js")
	if err := put(path, discreet); err != nil {
		return nil, fmt.Errorf("write a plugin for opencode: %w", err)
	}
	content, ok := plugged(lookUp(env, configVar), (&url.URL{Scheme: "file", Path: path}).String())
	if !ok {
		return nil, orchestrator.Errorf(orchestrator.CodeInvalid,
			"%s is no plain JSON object with a list of plugins, if any: boo cannot add the one that keeps the server's password from agents' commands", configVar).
			WithHint("put that configuration into ~/.config/opencode/opencode.json, which may have comments")
	}
	return set(env, configVar, content), nil
}

// plugged adds a plugin to a configuration; ok is false where that is in a form
// which boo does not read.
func plugged(config, plugin string) (_ string, ok bool) {
	fields := map[string]json.RawMessage{}
	var plugins []json.RawMessage
	if strings.TrimSpace(config) != "" && json.Unmarshal([]byte(config), &fields) != nil || fields == nil {
		return "", false
	}
	if list := fields["plugin"]; list != nil && json.Unmarshal(list, &plugins) != nil {
		return "", false
	}
	name, err := json.Marshal(plugin)
	if err != nil {
		return "", false
	}
	if fields["plugin"], err = json.Marshal(append(plugins, name)); err != nil {
		return "", false
	}
	text, err := json.Marshal(fields)
	return string(text), err == nil
}

// put writes a file of boo's own, unless it is there: another server may be
// reading it.
func put(path, content string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == content {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "discreet-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is not there any more, as a rule
	if _, err = f.WriteString(content); err != nil {
		_ = f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func lookUp(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// set gives a variable a value, in the place of those it has: which of two a
// program sees is its own affair.
func set(env []string, name, value string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			kept = append(kept, entry)
		}
	}
	return append(kept, name+"="+value)
}
