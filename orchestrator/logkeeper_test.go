package orchestrator_test

import (
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/sessionlog"
)

func TestTheSessionLogHasAllThatHappenedWhenTheEngineEnds(t *testing.T) {
	w := newWorld(t)
	logs := sessionlog.New(sessionlog.Options{Dir: t.TempDir()})
	w.Logs = logs
	w.KeepLogs()
	sent := w.send("one", "say hunter2-hunter2", func(r *orchestrator.SendRequest) { r.Environ = append(os.Environ(), "SOME_TOKEN=hunter2-hunter2") })
	w.follow(sent.Turn, nil)
	stored, err := w.Log(t.Context(), orchestrator.ChatRef{Dir: w.repo}, 0, 1000)
	w.check(err)
	w.check(w.Close())
	text, err := os.ReadFile(logs.Path(sent.Chat))
	w.check(err)
	if n := strings.Count(string(text), "\n"); n != len(stored) || !strings.Contains(string(text), `"kind":"prompt"`) || strings.Contains(string(text), "hunter2") {
		t.Errorf("%d lines for %d events:\n%s", n, len(stored), text)
	}

	w.Engine = w.open()
	w.Logs = logs
	w.check(os.WriteFile(logs.Path(sent.Chat), []byte("nonsense"), 0o600))
	path, err := w.RebuildLog(t.Context(), orchestrator.ChatRef{Dir: w.repo}, []string{"SOME_TOKEN=hunter2-hunter2"})
	w.check(err)
	again, err := os.ReadFile(path)
	w.check(err)
	if string(again) != string(text) {
		t.Errorf("made anew it is:\n%s", again)
	}
}
