package backendtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boo/backends/backendtest/scriptedmodel"
	"boo/orchestrator"
)

// Environ returns the environment in which a built-in agent speaks with the
// scripted model at url and with nobody else, with its own files below root,
// which is its home. The settings that make it so are written there. The test
// fails for an agent that it has none for.
func Environ(tb testing.TB, name orchestrator.AgentName, url, root string) []string {
	tb.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "TERM=dumb"}
	set, ok := quiet[name]
	if !ok {
		tb.Fatalf("no settings are known that bring agent %s to a scripted model", name)
	}
	own, files := set(url, root)
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return slices.Concat(env, own)
}

// quiet has for each agent the variables, and the files by their path below
// its home, that lead it to the model at url.
var quiet = map[orchestrator.AgentName]func(url, root string) (env []string, files map[string]string){
	"goose":        quietGoose,
	"qwen":         quietQwen,
	"gemini":       quietGemini,
	"claude":       quietClaude,
	"codex":        quietCodex,
	"opencode":     quietOpencode,
	"opencode-acp": quietOpencode,
}

func quietGoose(url, root string) (env []string, files map[string]string) {
	for name, value := range scriptedmodel.GooseEnv(url, root) {
		env = append(env, name+"="+value)
	}
	return env, nil
}

// object is a JSON object.
type object = map[string]any

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // of literals in this file
	}
	return string(data)
}

// quietQwen turns off what makes more than one model call of a turn: the
// memory that a second agent keeps, and the suggestion of what to say next.
func quietQwen(url, _ string) ([]string, map[string]string) {
	settings := object{
		"general":  object{"enableAutoUpdate": false, "disableAutoUpdate": true, "checkpointing": object{"enabled": false}},
		"ui":       object{"enableFollowupSuggestions": false},
		"memory":   object{"enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false},
		"privacy":  object{"usageStatisticsEnabled": false},
		"security": object{"auth": object{"selectedType": "openai"}},
	}
	return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=scripted", "OPENAI_MODEL=" + scriptedmodel.Model},
		map[string]string{".qwen/settings.json": text(settings)}
}

func quietGemini(url, _ string) ([]string, map[string]string) {
	settings := object{
		"general":  object{"enableAutoUpdate": false, "disableAutoUpdate": true},
		"privacy":  object{"usageStatisticsEnabled": false},
		"model":    object{"name": "gemini-2.5-flash"}, // the default asks a model which model to ask
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
	}
	return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=scripted"},
		map[string]string{".gemini/settings.json": text(settings)}
}

func quietClaude(url, root string) ([]string, map[string]string) {
	return []string{
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=scripted", "CLAUDE_CONFIG_DIR=" + filepath.Join(root, ".claude"),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_MAX_RETRIES=1",
	}, nil
}

// quietCodex keeps codex from its plugins, which it gets from the network at
// every start.
func quietCodex(url, root string) ([]string, map[string]string) {
	config := `model = "` + scriptedmodel.Model + `"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.scripted]
name = "Scripted"
base_url = "` + url + `/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
requires_openai_auth = false
`
	return []string{"OPENAI_API_KEY=scripted", "CODEX_HOME=" + filepath.Join(root, ".codex")},
		map[string]string{".codex/config.toml": config}
}

// quietOpencode leads the installation of plugins, which opencode begins in
// every directory, to a port that nobody listens on.
func quietOpencode(url, _ string) ([]string, map[string]string) {
	limit := object{"context": 128000, "output": 8192}
	config := object{
		"autoupdate": false, "share": "disabled", "enabled_providers": []string{"scripted"},
		"model": "scripted/" + scriptedmodel.Model, "small_model": "scripted/small",
		"provider": object{"scripted": object{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
			"options": object{"baseURL": url + "/v1", "apiKey": "scripted"},
			"models": object{
				scriptedmodel.Model: object{"name": "Scripted", "tool_call": true, "reasoning": true, "limit": limit,
					"cost": object{"input": 3, "output": 15}},
				"small": object{"name": "Small", "limit": limit},
			},
		}},
	}
	return []string{
		"OPENCODE_CONFIG_CONTENT=" + text(config), "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"npm_config_registry=http://127.0.0.1:9",
	}, nil
}
