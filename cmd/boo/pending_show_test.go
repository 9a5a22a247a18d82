package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func TestAPatchIsTakenApartByItsChanges(t *testing.T) {
	changes := []orchestrator.Change{
		change("p1", "a b", orchestrator.OpEdit, 1, 1),
		change("p2", "big", orchestrator.OpEdit, 9999, 0),
		change("p3", "k\"i\tnd\xff", orchestrator.OpType, 1, 1),
		change("p4", "z.bin", orchestrator.OpCreate, 0, 0),
	}
	patch := "diff --git a/a b b/a b\n@@ -1 +1 @@\n-diff --git a/big b/big\n+x\n" +
		"diff --git \"a/k\\\"i\\tnd\\377\" \"b/k\\\"i\\tnd\\377\"\n-file\ndiff --git \"a/k\\\"i\\tnd\\377\" \"b/k\\\"i\\tnd\\377\"\n+link\n" +
		"diff --git a/else b/else\n+not asked for\n"
	want := []string{
		"0", "0:diff --git a/a b b/a b\n", "0:@@ -1 +1 @@\n", "0:-diff --git a/big b/big\n", "0:+x\n",
		"1", "2", "2:diff", "2:-file\n", "2:diff", "2:+link\n", "3",
	}
	for size := range 7 {
		var got []string
		s := newSplitter(changes, func(i int) error {
			got = append(got, string(rune('0'+i)))
			return nil
		}, func(i int, line []byte) error {
			text := string(line)
			if i == 2 && strings.HasPrefix(text, "diff") {
				text = "diff"
			}
			got = append(got, string(rune('0'+i))+":"+text)
			return nil
		})
		for piece := range slices.Chunk([]byte(patch), size+1) {
			if _, err := s.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil || !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d: %v, got %q\nwant %q", size+1, err, got, want)
		}
	}
}

// listed is three changes of one chat: a file that was moved, and a huge one.
func listed() []orchestrator.ChangeSet {
	huge := change("p000000003", "huge.txt", orchestrator.OpEdit, 70_000, 2)
	huge.Old.Mode, huge.New.Mode = orchestrator.ModeRegular, orchestrator.ModeExec
	return []orchestrator.ChangeSet{{
		Last:    true,
		Chat:    orchestrator.ChatSummary{Chat: orchestrator.Chat{ID: "c000000001", Title: "first things"}},
		Changes: []orchestrator.Change{change("p000000001", "new.go", orchestrator.OpCreate, 100, 0), huge, change("p000000002", "old.go", orchestrator.OpDelete, 0, 98)},
		Renames: []orchestrator.Rename{{From: "old.go", To: "new.go", Similarity: 97, Added: 3, Deleted: 1}},
		Sizes:   map[orchestrator.ObjectID]int64{huge.Old.ID: 100, huge.New.ID: 3 << 20},
	}}
}

func TestAMovedFileIsOneFileWithTwoRows(t *testing.T) {
	f := newFake()
	f.sets = listed()
	e, stdout, _ := testEnv(f)
	if err := runPendingLs(t.Context(), e, orchestrator.ReviewSelector{}); err != nil {
		t.Fatal(err)
	}
	want := "p000000001  R  old.go -> new.go      +3   -1  goose  t000000001\n" +
		"p000000003  M  huge.txt          +70000   -2  goose  t000000001  made executable\n" +
		"p000000002  D  old.go                +0  -98  goose  t000000001  renamed to new.go\n" +
		"2 files, +70003 -3 · changes from goose\n"
	if stdout.String() != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}

	e, stdout, _ = testEnv(f)
	if err := runPendingDiff(t.Context(), e, diffOptions{Stat: true}); err != nil {
		t.Fatal(err)
	}
	want = "old.go -> new.go      +3  -1\nhuge.txt          +70000  -2  made executable\n2 files, +70003 -3\n"
	if stdout.String() != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
}

func TestWhatIsHugeIsSummedUp(t *testing.T) {
	f := newFake()
	f.sets, f.patch = listed(), "diff --git a/new.go b/new.go\n+package main\n"
	e, stdout, _ := testEnv(f)
	if err := runPendingShow(t.Context(), e, orchestrator.ReviewSelector{}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"p000000001  R old.go -> new.go  +3 -1\nby goose in turn t000000001 · ", "\n+package main\n\np000000003",
		"huge.txt  +70000 -2  made executable\n",
		"\ntoo long to be shown: +70000 -2 lines, 100 bytes before, 3.0 MiB now  boo pending diff huge.txt\n",
	} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("it lacks %q:\n%s", part, stdout)
		}
	}
}

func TestGroupsSayWhichChatTheyAreOf(t *testing.T) {
	f := newFake()
	second := listed()[0]
	second.Last, second.Chat.ID, second.Chat.Title = false, "c000000002", "second things"
	f.sets = append(listed(), second)
	e, stdout, _ := testEnv(f)
	if err := runPendingLs(t.Context(), e, orchestrator.ReviewSelector{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"chat c000000001  first things  (last used)\n", "\n\nchat c000000002  second things\n", "\n4 files, +140006 -6 · "} {
		if !strings.Contains(stdout.String(), line) {
			t.Errorf("it lacks %q:\n%s", line, stdout)
		}
	}
}

func TestBlameIsLinedUpAndHarmless(t *testing.T) {
	f := newFake()
	f.blamed = orchestrator.BlamedFile{Chat: "c000000001", Path: "a.go", Parts: []orchestrator.BlamedPart{
		{BlameRun: orchestrator.BlameRun{Commit: "b0", Lines: []string{"package a", ""}}},
		{Agent: "goose", Turn: orchestrator.Turn{ID: "t000000001", Number: 12, Prompt: "shout loud\nand more"},
			BlameRun: orchestrator.BlameRun{Commit: "b1", Lines: []string{"\tx := 1\r", "y \u202e\xff"}}},
		{Agent: orchestrator.Person, Turn: orchestrator.Turn{ID: "t000000002", Number: 13, Prompt: "next"},
			BlameRun: orchestrator.BlameRun{Commit: "b2", Lines: []string{"mine"}}},
		{Agent: orchestrator.Person, BlameRun: orchestrator.BlameRun{Commit: "b3", Lines: []string{"back"}}},
	}}
	e, stdout, _ := testEnv(f)
	if err := runPendingBlame(t.Context(), e, orchestrator.ChatRef{}, "a.go"); err != nil {
		t.Fatal(err)
	}
	want := "base                          1  package a\n" +
		"base                          2  \n" +
		"goose  turn 12    shout loud  3      x := 1\n" +
		"goose  turn 12    shout loud  4  y <U+202E><FF>\n" +
		"you    before 13              5  mine\n" +
		"you                           6  back\n"
	if stdout.String() != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}

	f.blamed.Parts[1].Turn.Prompt, f.blamed.Parts[1].Lines[1] = "\x1b]0;owned\x07", "\x1b[2J\ry"
	e, stdout, _ = testEnv(f)
	if err := runPendingBlame(t.Context(), e, orchestrator.ChatRef{}, "a.go"); err != nil || strings.ContainsAny(stdout.String(), "\x1b\x07\r") {
		t.Errorf("%v, %q", err, stdout)
	}

	e, stdout, _ = testEnv(f)
	e.JSON = true
	if err := runPendingBlame(t.Context(), e, orchestrator.ChatRef{}, "a.go"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	var third blamedLineView
	if err := json.Unmarshal([]byte(lines[2]), &third); err != nil || len(lines) != 6 || third.Text != "\tx := 1\r" || third.Number != 12 {
		t.Errorf("%d lines, %v: %+v", len(lines), err, third)
	}
}

func TestCollisionsAreNamedWithBothSides(t *testing.T) {
	f := newFake()
	one, two := change("p000000001", "a.go", orchestrator.OpEdit, 1, 1), change("p000000002", "a.go", orchestrator.OpEdit, 1, 1)
	two.Chat = "c000000002"
	f.collisions = []orchestrator.Collision{
		{Path: "a.go", Change: one, With: &two, Reason: "both changed the same lines"},
		{Path: "a.go", Change: one, Checkout: "/home/pat/greet", Reason: "you edited it"},
	}
	e, stdout, stderr := testEnv(f)
	if status := e.report(runPendingConflicts(t.Context(), e, orchestrator.ReviewSelector{})); status != 8 {
		t.Errorf("status %d", status)
	}
	want := "a.go  p000000001 of chat c000000001 (goose) × p000000002 of chat c000000002 (goose)  both changed the same lines\n" +
		"a.go  p000000001 of chat c000000001 (goose) × your files in /home/pat/greet  you edited it\n"
	if stdout.String() != want || !strings.Contains(stderr.String(), "2 collisions in 1 path\n") {
		t.Errorf("got\n%s%swant\n%s", stdout, stderr, want)
	}
	f.collisions = nil
	e, stdout, stderr = testEnv(f)
	if err := runPendingConflicts(t.Context(), e, orchestrator.ReviewSelector{}); err != nil || stdout.Len() > 0 || stderr.Len() == 0 {
		t.Errorf("none: %v, %q, %q", err, stdout, stderr)
	}
}

func TestOnATerminalAPatchOfATurnHasColourAndNoDump(t *testing.T) {
	f := newFake()
	f.sets, f.patch = listed(), "diff --git a/new.go b/new.go\n@@ -0,0 +1 @@\n+package main\n"
	e, _, _ := testEnv(f)
	var screen strings.Builder
	e.Stdout = tty.New(&screen, tty.Options{Terminal: true, Colour: true})
	if err := runPendingDiff(t.Context(), e, diffOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(screen.String(), "\x1b[32m+package main\x1b[0m\n") || !strings.Contains(screen.String(), "too long to be shown") {
		t.Errorf("got %q", screen.String())
	}
}
