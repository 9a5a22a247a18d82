package tty_test

import (
	"strconv"
	"strings"
	"testing"

	"boo/cmd/boo/internal/tty"
)

// show plays writes on a terminal of our own that knows what a Screen uses: line
// breaks, the carriage return, "up" and "clear the line".
func show(t *testing.T, output string) string {
	t.Helper()
	lines := []string{""}
	row := 0
	for len(output) > 0 {
		if rest, ok := strings.CutPrefix(output, "\x1b[A\x1b[2K"); ok {
			if row--; row < 0 {
				t.Fatal("moves up from the first row")
			}
			lines[row], output = "", rest
			continue
		}
		switch c := output[0]; c {
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
		case '\r':
		default:
			lines[row] += output[:1]
		}
		output = output[1:]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

func terminal(b *strings.Builder) *tty.Output {
	return tty.New(b, tty.Options{Terminal: true, Size: func() (int, int) { return 40, 12 }})
}

func live(texts ...string) [][]tty.Span {
	var lines [][]tty.Span
	for _, s := range texts {
		lines = append(lines, []tty.Span{tty.Plain(s)})
	}
	return lines
}

func TestLiveLinesStayBelowAndLeaveNothing(t *testing.T) {
	var b strings.Builder
	out := terminal(&b)
	s := tty.NewScreen(out, out, true)
	s.Stream(tty.Answer, "Hello.\n")
	s.Live(live("one runs", "two runs"))
	s.Line(tty.Plain("one is done"))
	s.Live(live("two runs"))
	if got, want := show(t, b.String()), "Hello.\n\none is done\ntwo runs\n"; got != want {
		t.Errorf("while it runs:\n%s", got)
	}
	s.Line(tty.Plain("two is done"))
	s.Live(nil)
	s.Close()
	if got, want := show(t, b.String()), "Hello.\n\none is done\ntwo is done\n"; got != want {
		t.Errorf("at the end:\n%s", got)
	}
}

func TestLinesOfTalkNeverBreakALineOfText(t *testing.T) {
	var b strings.Builder
	out := terminal(&b)
	s := tty.NewScreen(out, out, true)
	s.Live(live("one runs"))
	s.Stream(tty.Answer, "Once upon ")
	s.Stream(tty.Answer, "a ti")
	if got, want := show(t, b.String()), "\nOnce upon a ti\none runs\n"; strings.TrimLeft(got, "\n") != strings.TrimLeft(want, "\n") {
		t.Errorf("while it runs:\n%s", got)
	}
	s.Line(tty.Plain("one is done"))
	s.Live(nil)
	s.Stream(tty.Answer, "me.\n")
	s.Close()
	if got := show(t, b.String()); !strings.Contains(got, "one is done\n") || !strings.Contains(got, "Once upon a time.\n") {
		t.Errorf("at the end:\n%s", got)
	}
}

func TestInAPipeALineOfTalkWaitsForTheEndOfTheText(t *testing.T) {
	var b strings.Builder
	out := tty.New(&b, tty.Options{})
	s := tty.NewScreen(out, out, true)
	s.Stream(tty.Answer, "Once upon ")
	s.Line(tty.Plain("one is done"))
	s.Stream(tty.Answer, "a time.\nThe ")
	s.Stream(tty.Answer, "end")
	s.Break()
	s.Stream(tty.Answer, "More")
	s.Close()
	if got, want := b.String(), "Once upon a time.\none is done\nThe end\nMore\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextAndTalkGoSeparateWays(t *testing.T) {
	var data, talk strings.Builder
	s := tty.NewScreen(tty.New(&data, tty.Options{}), tty.New(&talk, tty.Options{}), false)
	s.Stream(tty.Thought, "hm")
	s.Stream(tty.Answer, "first ")
	s.Line(tty.Plain("tool"))
	s.Live(live("never seen"))
	s.Stream(tty.Answer, "line")
	s.Break()
	s.Stream(tty.Answer, "second")
	s.Close()
	if got, want := data.String(), "first line\nsecond\n"; got != want {
		t.Errorf("data: %q, want %q", got, want)
	}
	if got, want := talk.String(), "┆ hm\ntool\n"; got != want {
		t.Errorf("talk: %q, want %q", got, want)
	}
}

func TestMoreLiveLinesThanRows(t *testing.T) {
	var b strings.Builder
	out := terminal(&b)
	s := tty.NewScreen(out, out, true)
	var many []string
	for i := range 50 {
		many = append(many, strings.Repeat("x", 50)+strconv.Itoa(i))
	}
	s.Live(live(many...))
	lines := strings.Split(strings.TrimSpace(show(t, b.String())), "\n")
	if len(lines) > 11 || !strings.Contains(lines[len(lines)-1], "more") {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	for _, l := range lines {
		if tty.Width(l) >= 40 {
			t.Errorf("%q would wrap", l)
		}
	}
}
