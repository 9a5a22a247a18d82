package opencode

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAServersCommandsDoNotFindItsPassword(t *testing.T) {
	dir := t.TempDir()
	plugin := filepath.Join(dir, "a b", "discreet.js")
	spec := `"file://` + dir + `/a%20b/discreet.js"`
	for config, want := range map[string]string{
		"":                               `{"plugin":[` + spec + `]}`,
		`{"model":"a/b"}`:                `{"model":"a/b","plugin":[` + spec + `]}`,
		`{"plugin":["x",["y",{"z":1}]]}`: `{"plugin":["x",["y",{"z":1}],` + spec + `]}`,
		`{/* of a form of its own */}`:   "",
		`{"plugin":"x"}`:                 "",
		`null`:                           "",
	} {
		env := []string{"A=1", passwordVar + "=old"}
		if config != "" {
			env = append(env, configVar+"="+config)
		}
		got, err := Protocol{Dir: filepath.Dir(plugin)}.environment(env, "new")
		if want == "" {
			if orchestrator.CodeOf(err) != orchestrator.CodeInvalid || !strings.Contains(err.Error(), configVar) || strings.Contains(err.Error(), config) {
				t.Errorf("%s: %v", config, err)
			}
			continue
		}
		if err != nil || !slices.Contains(got, configVar+"="+want) || lookUp(got, passwordVar) != "new" || slices.Contains(got, passwordVar+"=old") {
			t.Errorf("%s: got %q", config, got)
		}
	}
	if text, err := os.ReadFile(plugin); string(text) != discreet {
		t.Errorf("the plugin: %q, %v", text, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(plugin)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}
