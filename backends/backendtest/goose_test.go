package backendtest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
)

// goose runs the real goose once, with a model that plays prompt.
func goose(t *testing.T, model *scriptedmodel.Server, dir, prompt string) (string, error) {
	t.Helper()
	root := t.TempDir()
	cmd := exec.CommandContext(t.Context(), backendtest.Goose(t), "run", "-q", "--no-session", "-t", prompt)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GOOSE_MODE=auto"}
	for name, value := range scriptedmodel.GooseEnv(model.URL(), root) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func model(t *testing.T, o scriptedmodel.Options) *scriptedmodel.Server {
	t.Helper()
	s, err := scriptedmodel.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestRealGooseActsOutAScript(t *testing.T) {
	dir := t.TempDir()
	prompt := "think about it ;; write a.txt with one two ;; edit a.txt replace two by 2 ;; run tr a-z A-Z <a.txt >b.txt; echo printed ;; report ;; stream 5 words every 1ms ;; flood 100 chunks ;; say the end"
	out, err := goose(t, model(t, scriptedmodel.Options{}), dir, prompt)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]string{"a.txt": "one 2\n", "b.txt": "ONE 2\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for _, want := range []string{"printed", "word5", "chunk100", "the end"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestRealGooseMeetsAStatus(t *testing.T) {
	out, err := goose(t, model(t, scriptedmodel.Options{}), t.TempDir(), "status 401 no such key")
	if err == nil {
		t.Errorf("goose is content with 401:\n%s", out)
	}
}

func TestDemoPlaysOnRealGooseAndItsTestsPass(t *testing.T) {
	files, prompts, scenario := scriptedmodel.Demo()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := model(t, scriptedmodel.Options{Scenario: scenario})
	goTest(t, dir)
	for _, prompt := range prompts {
		if out, err := goose(t, server, dir, prompt); err != nil {
			t.Fatalf("%s: %v\n%s", prompt, err, out)
		}
		goTest(t, dir)
	}
	for name, want := range map[string]string{"README.md": "--polite", "shout_test.go": "HELLO", "polite_test.go": "GOOD DAY"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s has no %q: %v", name, want, err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).Output(); err != nil || len(out) > 0 {
		t.Errorf("not formatted: %s %v", out, err)
	}
}

func goTest(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
}

func TestEveryRequestOfGooseIsUnderstood(t *testing.T) {
	server := model(t, scriptedmodel.Options{})
	if out, err := goose(t, server, t.TempDir(), "run true"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, r := range server.Requests() {
		if !json.Valid(r.Body) || r.Path != "/v1/chat/completions" {
			t.Errorf("%s %s %.200s", http.MethodPost, r.Path, r.Body)
		}
	}
	if server.Count() != 2 {
		t.Errorf("%d requests with tools for one tool call", server.Count())
	}
}
