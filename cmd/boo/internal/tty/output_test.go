package tty_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"boo/cmd/boo/internal/tty"
)

func TestColourIsBoosOwnAndOnlyWhereItIsShown(t *testing.T) {
	var b strings.Builder
	out := tty.New(&b, tty.Options{Terminal: true, Colour: true})
	out.Println(tty.Red("a\x1b[32mb"))
	if got, want := b.String(), "\x1b[31ma␛[32mb\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	out.NoColour()
	out.Println(tty.Red("a"))
	if got := b.String(); got != "a\n" {
		t.Errorf("without colour: %q", got)
	}
}

func TestDataIsAsItIsInAPipeAndCleanOnATerminal(t *testing.T) {
	var pipe, terminal strings.Builder
	data := "-old\r\n+\x1b[31mnew\xff\n"
	_, _ = tty.New(&pipe, tty.Options{}).Data().Write([]byte(data))
	_, _ = tty.New(&terminal, tty.Options{Terminal: true}).Data().Write([]byte(data))
	if pipe.String() != data {
		t.Errorf("in a pipe: %q", pipe.String())
	}
	harmless(t, terminal.String())
}

func TestJSONActsOnNoTerminalAndLosesNothing(t *testing.T) {
	var b strings.Builder
	in := "\x1b[31m\u009b\x7f\u202e\U000e0041 <&> ü"
	if err := tty.New(&b, tty.Options{}).JSON(in); err != nil {
		t.Fatal(err)
	}
	harmless(t, b.String())
	var out string
	if err := json.Unmarshal([]byte(b.String()), &out); err != nil || out != in {
		t.Errorf("read back %q (%v), want %q", out, err, in)
	}
}

func TestTheFirstErrorStaysAndEndsTheWriting(t *testing.T) {
	w := &failing{}
	out := tty.New(w, tty.Options{})
	out.Printf("one")
	out.Printf("two")
	if !errors.Is(out.Err(), errGone) || w.calls != 1 {
		t.Errorf("error %v after %d writes", out.Err(), w.calls)
	}
}

var errGone = errors.New("gone")

type failing struct{ calls int }

func (f *failing) Write([]byte) (int, error) {
	f.calls++
	return 0, errGone
}

func TestTableLinesUpAndShortensPathsOnANarrowTerminal(t *testing.T) {
	table := tty.Table{Path: 1, Right: map[int]bool{2: true}}
	table.Row(tty.Plain("A"), tty.Plain("日本/a.go"), tty.Plain("+1"))
	table.Row(tty.Plain("M"), tty.Plain("a/very/long/path/to/some/file.go"), tty.Plain("+100"))
	var pipe, narrow strings.Builder
	table.Print(tty.New(&pipe, tty.Options{}))
	table.Print(tty.New(&narrow, tty.Options{Terminal: true, Size: func() (int, int) { return 30, 10 }}))
	if want := "A  日本/a.go                           +1\nM  a/very/long/path/to/some/file.go  +100\n"; pipe.String() != want {
		t.Errorf("in a pipe:\n%swant:\n%s", pipe.String(), want)
	}
	for line := range strings.Lines(narrow.String()) {
		if tty.Width(strings.TrimSpace(line)) > 30 {
			t.Errorf("too wide: %q", line)
		}
	}
	if !strings.Contains(narrow.String(), "…") || !strings.Contains(narrow.String(), "file.go") {
		t.Errorf("on a narrow terminal:\n%s", narrow.String())
	}
}

func TestPatchColoursLinesAndShowsWhatHides(t *testing.T) {
	var b strings.Builder
	patch := tty.NewPatch(tty.New(&b, tty.Options{Terminal: true, Colour: true}))
	for _, piece := range []string{"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-", "--old\n+n\u200bew\r\n", " same"} {
		if _, err := patch.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if err := patch.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\x1b[1m--- a/x\x1b[0m\n", "\x1b[36m@@ -1 +1 @@\x1b[0m\n", "\x1b[31m---old\x1b[0m\n", "\x1b[32m+n<U+200B>ew␍\x1b[0m\n", " same\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ in, cut, left string }{
		{"short", "short", "short"},
		{"abcdefgh", "abcde…", "…defgh"},
		{"日本語日本", "日本…", "…日本"},
	} {
		if got := tty.Cut(c.in, 6); got != c.cut {
			t.Errorf("Cut(%q) = %q, want %q", c.in, got, c.cut)
		}
		if got := tty.CutLeft(c.in, 6); got != c.left {
			t.Errorf("CutLeft(%q) = %q, want %q", c.in, got, c.left)
		}
	}
}
