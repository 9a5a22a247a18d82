package objectid_test

import (
	"os/exec"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

func TestIDsAreThoseOfGit(t *testing.T) {
	for name, format := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		dir := t.TempDir()
		git(t, dir, "", "init", "-q", "--object-format="+name)
		for _, content := range []string{"", "a", "one\ntwo\n", "\x00\xff", strings.Repeat("long ", 100_000)} {
			want := git(t, dir, content, "hash-object", "--stdin")
			if got := format.Of(objectid.Blob, []byte(content)); string(got) != want {
				t.Errorf("%s of %.10q = %s, want %s", name, content, got, want)
			}
			h := format.Hasher(objectid.Blob, int64(len(content)))
			for piece := range strings.SplitAfterSeq(content, " ") {
				_, _ = h.Write([]byte(piece))
			}
			if got, err := h.ID(); string(got) != want || err != nil {
				t.Errorf("%s in pieces = %s, %v, want %s", name, got, err, want)
			}
		}
		if got, want := string(format.EmptyTree()), git(t, dir, "", "mktree"); got != want {
			t.Errorf("empty tree = %s, want %s", got, want)
		}
		id := format.EmptyBlob()
		raw, err := format.AppendRaw(nil, id)
		if err != nil || objectid.FromRaw(raw) != id {
			t.Errorf("raw form of %s does not lead back: %v", id, err)
		}
		if got, err := objectid.FormatOf(id); got != format || err != nil {
			t.Errorf("FormatOf(%s) = %v, %v", id, got, err)
		}
	}
}

func TestWhatIsNoIDIsRefused(t *testing.T) {
	for _, id := range []orchestrator.ObjectID{"", "abc", orchestrator.ObjectID(strings.Repeat("g", 40)), orchestrator.ObjectID(strings.Repeat("A", 40))} {
		if _, err := objectid.SHA1.AppendRaw(nil, id); err == nil {
			t.Errorf("AppendRaw(%q) accepted", id)
		}
	}
	if _, err := objectid.ParseKind("branch"); err == nil {
		t.Error("ParseKind(branch) accepted")
	}
	if kind, err := objectid.ParseKind("tag"); kind != objectid.Tag || err != nil {
		t.Errorf("ParseKind(tag) = %v, %v", kind, err)
	}
}

func TestContentOfAnotherLengthHasNoID(t *testing.T) {
	h := objectid.SHA1.Hasher(objectid.Blob, 3)
	_, _ = h.Write([]byte("four"))
	if _, err := h.ID(); err != objectid.ErrLength {
		t.Errorf("got %v, want ErrLength", err)
	}
}

func git(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
