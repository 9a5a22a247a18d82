package checkpointfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/checkpointfile"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func checkpoint(agent orchestrator.AgentName, step int64) orchestrator.Checkpoint {
	c := orchestrator.Checkpoint{
		Chat: "c000000001", Agent: agent, Step: step, Turn: "t000000001", Seq: orchestrator.Seq(step), Status: orchestrator.CheckpointInProgress,
		At: time.UnixMilli(1_800_000_000_123).UTC(), Open: []orchestrator.OpenCall{{ID: "1", Title: "a <b> \u2028"}},
	}
	c.Digest = c.Sum()
	return c
}

// written is a directory with three steps of one session.
func written(t *testing.T) (dir, session string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	_, err := checkpointfile.Write(dir, []orchestrator.Checkpoint{checkpoint("a", 3), checkpoint("a", 1), checkpoint("a", 2)})
	check(t, err)
	return dir, filepath.Join(dir, "c000000001.a.0")
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	dir, session := written(t)
	// Names that begin alike, and what a name could be mistaken for.
	more := []orchestrator.Checkpoint{checkpoint("a.0", 1), checkpoint("a_b", 1), checkpoint("latest", 1), checkpoint("a", 10)}
	n, err := checkpointfile.Write(dir, append(more, checkpoint("a", 1)))
	if err != nil || n != 4 {
		t.Errorf("%d new files, %v", n, err)
	}
	list, faults, err := checkpointfile.Read(dir)
	check(t, err)
	var got []string
	for _, c := range list {
		got = append(got, string(c.Agent)+string(rune('0'+c.Step)))
	}
	if want := []string{"a1", "a2", "a3", "a:", "a.01", "a_b1", "latest1"}; !slices.Equal(got, want) || len(faults) > 0 {
		t.Errorf("read %q, want %q; faults %v", got, want, faults)
	}
	if text, err := os.ReadFile(filepath.Join(session, "latest")); err != nil || string(text) != "000000000010.json\n" {
		t.Errorf("the latest is %q, %v", text, err)
	}
	info, err := os.Stat(filepath.Join(session, "000000000001.json"))
	check(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestWhatIsDamagedIsNamedAndTheRestTaken(t *testing.T) {
	for what, c := range map[string]struct {
		damage func(dir, session string) error
		left   int
		reason string
	}{
		"cut off": {func(_, s string) error { return os.Truncate(filepath.Join(s, "000000000003.json"), 40) }, 2, "it is no checkpoint"},
		"changed": {func(_, s string) error { return replace(filepath.Join(s, "000000000002.json"), `"seq": 2`, `"seq": 3`) }, 2, "does not agree with its digest"},
		"under another": {func(_, s string) error {
			return os.Rename(filepath.Join(s, "000000000001.json"), filepath.Join(s, "000000000007.json"))
		}, 2, "it belongs to"},
		"of another":   {func(d, s string) error { return os.Rename(s, filepath.Join(d, "c000000001.b.0")) }, 0, "it belongs to c000000001.a.0"},
		"a draft":      {func(_, s string) error { return os.WriteFile(filepath.Join(s, ".draft-x"), nil, 0o600) }, 3, "being written"},
		"a stray file": {func(d, _ string) error { return os.WriteFile(filepath.Join(d, "note"), nil, 0o600) }, 3, "no directory of a session"},
		"no pointer":   {func(_, s string) error { return os.Remove(filepath.Join(s, "latest")) }, 3, "it cannot be read"},
		"a false pointer": {func(_, s string) error {
			return os.WriteFile(filepath.Join(s, "latest"), []byte("../../etc/passwd"), 0o600)
		}, 3, "but the newest one that holds is 000000000003.json"},
		"a pipe":           {func(_, s string) error { return syscall.Mkfifo(filepath.Join(s, "000000000004.json"), 0o600) }, 3, "no regular file"},
		"a link out of it": {func(_, s string) error { return os.Symlink("/etc/passwd", filepath.Join(s, "000000000004.json")) }, 3, "escapes"},
	} {
		dir, session := written(t)
		check(t, c.damage(dir, session))
		list, faults, err := checkpointfile.Read(dir)
		check(t, err)
		if len(list) != c.left || len(faults) == 0 || !slices.ContainsFunc(faults, func(f checkpointfile.Fault) bool { return strings.Contains(f.Reason, c.reason) }) {
			t.Errorf("%s: %d taken, want %d; faults %+v", what, len(list), c.left, faults)
		}
	}
}

func replace(file, old, with string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), old, with, 1)), 0o600)
}

func TestNoNameLeavesTheDirectory(t *testing.T) {
	for _, bad := range []orchestrator.Checkpoint{
		{Chat: "../../oops", Agent: "a", Step: 1}, {Chat: "c000000001", Agent: "../a", Step: 1}, {Chat: "c000000001", Agent: "A", Step: 1},
		{Chat: "c000000001", Agent: "a", Step: 0}, {Chat: "c000000001", Agent: "a", Step: 1, Generation: -1},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := checkpointfile.Write(dir, []orchestrator.Checkpoint{bad}); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
	outside := t.TempDir()
	dir := t.TempDir()
	check(t, os.Symlink(outside, filepath.Join(dir, "c000000001.a.0")))
	if _, err := checkpointfile.Write(dir, []orchestrator.Checkpoint{checkpoint("a", 1)}); err == nil {
		t.Error("a link out of the directory was followed")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("outside: %v", left)
	}
}
