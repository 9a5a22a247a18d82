package daemon_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"boo/orchestrator/daemon"
)

// logIn makes the test program write much to the log that its output leads to.
const logIn = "BOO_TEST_LOG"

func logMain(path string) {
	log, err := daemon.NewLogFile(path)
	if err != nil {
		panic(err)
	}
	line := []byte(strings.Repeat("x", 99) + "\n")
	for range 25_000 { // 2.5 MB
		if _, err := log.Write(line); err != nil {
			panic(err)
		}
	}
	_, _ = os.Stderr.WriteString("the runtime has a word too\n")
}

func TestALongLogBecomesTheOldOne(t *testing.T) {
	p := newPlace(t)
	path := p.Data + "/daemon.log"
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	defer f.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), logIn+"="+path)
	cmd.Stdout, cmd.Stderr = f, f
	must(t, cmd.Run())
	for name, most := range map[string]int64{path: 1<<20 + 200, path + ".1": 1<<20 + 200} {
		info, err := os.Stat(name)
		must(t, err)
		if info.Size() == 0 || info.Size() > most || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes, mode %o", name, info.Size(), info.Mode().Perm())
		}
	}
	text, err := os.ReadFile(path)
	must(t, err)
	if !strings.HasSuffix(string(text), "the runtime has a word too\n") {
		t.Error("what the runtime says is elsewhere")
	}
}
