package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
)

// TestWhatCannotBeReadIsNamed runs as itself for an ordinary user, and again
// as one when root, whom nothing is unreadable to, runs it.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		runAsNobody(t)
		return
	}
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.write(f.repo+"/z", "z\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/a", "recorded\n")
	f.write(dir+"/locked/inside", "recorded\n")
	first := f.snapshot(wt)

	f.write(dir+"/a", "cannot be read\n")
	f.write(dir+"/z", "can be read\n")
	f.write(dir+"/new", "cannot be read\n")
	f.chmod(dir+"/a", 0)
	f.chmod(dir+"/new", 0)
	f.chmod(dir+"/locked", 0)
	t.Cleanup(func() { _ = os.Chmod(dir+"/locked", 0o755) })
	second := f.snapshot(wt)

	skipped := skippedPaths(second)
	for _, path := range []string{"a", "new", "locked"} {
		if !strings.Contains(skipped[path], "Permission denied") {
			t.Errorf("%s: %q", path, skipped[path])
		}
	}
	if got := f.git(f.repo, "diff-tree", "-r", "--name-status", string(first.Commit), string(second.Commit)); got != "M\tz" {
		t.Errorf("second snapshot differs in %q", got)
	}
	f.write(f.repo+"/a", "x\n")
	f.chmod(f.repo+"/a", 0)
	if _, err := f.engine.Current(t.Context(), f.checkout(f.repo), []orchestrator.Path{"a"}, nil); orchestrator.CodeOf(err) != orchestrator.CodeDenied {
		t.Errorf("a file of the person's that cannot be read: %v", err)
	}
}

func runAsNobody(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "test")
	for _, step := range []error{os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777), copyFile("/proc/self/exe", binary)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^"+t.Name()+"$")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	}
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o755)
}
