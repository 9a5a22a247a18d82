package tty_test

import (
	"strings"
	"testing"

	"boo/cmd/boo/internal/tty"
)

const wordDiff = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n one \n-two\x1b[2J\n+2\u202e\n  three\n~\n~\n+-- end\n~\n" +
	"diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"

func TestWordsAreShownLineByLineAndHarmless(t *testing.T) {
	want := "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\none [-two␛[2J-]{+2<U+202E>+} three\n\n{+-- end+}\n" +
		"diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"
	for size := range 20 { // however the pieces come
		var b strings.Builder
		w := tty.NewWords(tty.New(&b, tty.Options{}))
		for rest := wordDiff; rest != ""; {
			n := min(size+1, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Fatalf("in pieces of %d: %v, got\n%q\nwant\n%q", size+1, err, b.String(), want)
		}
	}
}

func TestWordsCannotActOnTheTerminal(t *testing.T) {
	var b strings.Builder
	w := tty.NewWords(tty.New(&b, tty.Options{}))
	_, err := w.Write([]byte("diff --git a/\x1b[2J b/\n@@ -1 +1 @@ \x1b]0;x\x07\n-a\x1b[1A\n+b\rc\n~\n"))
	if err != nil || w.Close() != nil || strings.ContainsAny(b.String(), "\x1b\x07\r") {
		t.Errorf("%v, %q", err, b.String())
	}
}

func TestWordsInColourNeedNoMarks(t *testing.T) {
	var b strings.Builder
	w := tty.NewWords(tty.New(&b, tty.Options{Colour: true}))
	if _, err := w.Write([]byte(wordDiff)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "one \x1b[31mtwo␛[2J\x1b[0m\x1b[32m2<U+202E>\x1b[0m three\n") {
		t.Errorf("got %q", b.String())
	}
}
