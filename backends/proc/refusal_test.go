package proc_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/proc"
	"boo/orchestrator"
)

func TestProgramThatCannotBeExecutedIsExplained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := program(t)
	for _, c := range []struct {
		name, path, dir, want string
	}{
		{"missing", dir + "/nowhere", "/", "there is no such file"},
		{"not executable", write("plain", "text", 0o600), "/", "it is not executable"},
		{"directory", dir, "/", "it is a directory"},
		{"no interpreter", write("script", "#!/no/such/node -x\n", 0o700), "/", "script for /no/such/node, which is not there"},
		{"neither program nor script", write("junk", "junk", 0o700), "/", "neither a program for this machine nor a script"},
		{"working directory missing", good, dir + "/gone", "working directory " + dir + "/gone is not there"},
		{"working directory a file", good, write("file", "", 0o600), "is not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := proc.Launcher{}.Launch(t.Context(), backends.Command{Path: c.path, Dir: c.dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if orchestrator.CodeOf(err) != orchestrator.CodeAgent || orchestrator.HintOf(err) == "" {
				t.Fatalf("code %s, hint %q", orchestrator.CodeOf(err), orchestrator.HintOf(err))
			}
		})
	}
	if left := named(dir); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

func TestCommandThatIsTooLargeIsExplained(t *testing.T) {
	t.Parallel()
	cmd := command(program(t), "exit", strings.Repeat("1", 4<<20))
	if _, err := (proc.Launcher{}).Launch(t.Context(), cmd); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Fatalf("got %v", err)
	}
}

func TestCommandThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	for _, cmd := range []backends.Command{
		{Path: "agent", Dir: "/"},
		{Path: "/bin/true", Dir: "here"},
		{Path: "/bin/true", Dir: "/", Args: []string{"a\x00b"}},
	} {
		if _, err := (proc.Launcher{}).Launch(t.Context(), cmd); err == nil {
			t.Errorf("%q was started", cmd)
		}
	}
}

func TestStartThatIsCutOffLeavesNothing(t *testing.T) {
	t.Parallel()
	path := program(t)
	for i := range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*500*time.Microsecond)
		child, err := proc.Launcher{}.Launch(ctx, command(path, "family"))
		if err == nil {
			end(t, child, 0)
		}
		cancel()
		if left := named(path); len(left) > 0 {
			t.Fatalf("start cut off after %d·0.5 ms (%v): still there: %v", i, err, left)
		}
	}
}
