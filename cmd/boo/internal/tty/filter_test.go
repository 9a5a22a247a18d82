package tty_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"boo/cmd/boo/internal/tty"
)

func TestTextKeepsProseAndDropsWhatActs(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":                {"a\tb\nc", "a\tb\nc"},
		"other scripts, emoji": {"naïve 日本語 👩‍💻", "naïve 日本語 👩‍💻"},
		"colour":               {"\x1b[1;31mred\x1b[0m", "red"},
		"cursor up":            {"a\x1b[3Ab", "ab"},
		"clipboard, BEL":       {"a\x1b]52;c;QUFB\x07b", "ab"},
		"clipboard, ST":        {"a\x1b]52;c;QUFB\x1b\\b", "ab"},
		"link":                 {"\x1b]8;;https://x\x1b\\click\x1b]8;;\x1b\\", "click"},
		"device control":       {"a\x1bPq#0\x1b\\b", "ab"},
		"application command":  {"a\x1b_x\x1b\\b", "ab"},
		"8-bit CSI":            {"a\u009b31mb", "ab"},
		"8-bit OSC":            {"a\u009d0;t\u009cb", "ab"},
		"raw 8-bit byte":       {"a\x9b31mb", "a\ufffd31mb"},
		"charset":              {"a\x1b(0b", "ab"},
		"reset":                {"a\x1bcb", "ab"},
		"lone escape":          {"a\x1b", "a"},
		"escape before text":   {"a\x1bé", "aé"},
		"aborted sequence":     {"a\x1b[3\x1b[1mb", "ab"},
		"string ends at line":  {"a\x1b]0;never ended\nb", "a\nb"},
		"bell, backspace, DEL": {"a\a\b\x7fb", "ab"},
		"windows line end":     {"a\r\nb", "a\nb"},
		"overwriting":          {"rm -rf /\rls", "rm -rf /␍ls"},
		"last carriage return": {"a\r", "a␍"},
		"right-to-left":        {"a\u202eb", "a<U+202E>b"},
		"tag characters":       {"a\U000e0041b", "a<U+E0041>b"},
		"invalid":              {"a\xffb", "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tty.Text(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLineIsOneLineAndHidesNothing(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"line break":      {"a\nb\tc", "a b c"},
		"zero width":      {"a\u200bb", "a<U+200B>b"},
		"byte order mark": {"\ufeffa", "<U+FEFF>a"},
		"filler":          {"a\u3164", "a<U+3164>"},
		"soft hyphen":     {"a\u00adb", "a<U+00AD>b"},
		"carriage return": {"a\r\nb", "a␍ b"},
		"invalid":         {"caf\xe9", "caf<E9>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tty.Line(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAStringThatNeverEndsDoesNotSwallowTheRest(t *testing.T) {
	if got := tty.Text("\x1b]" + strings.Repeat("x", 100<<10) + "seen"); !strings.HasSuffix(got, "seen") {
		t.Error("the text after an endless control string is lost")
	}
}

// harmless fails the test unless a text can be shown as it is.
func harmless(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			t.Errorf("control character %U in %q", r, text)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"", "text\n", "\x1b[31m", "\x1b]52;c;\x07", "\x1b", "\xc2", "\u009b1A", "a\rb", "\x1b]\x1b", "\x1bP\x1b\\x", "\xe2\x80\xae", "\x7f\x80\x9f",
	} {
		f.Add([]byte(seed), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		for _, strict := range []bool{false, true} {
			whole := tty.Filter{Strict: strict}
			want := string(whole.Flush(whole.Append(nil, data)))
			harmless(t, want)

			// The same bytes in pieces must give the same text.
			size = max(1, size%7)
			pieces := tty.Filter{Strict: strict}
			var got []byte
			for rest := data; len(rest) > 0; {
				n := min(size, len(rest))
				got = pieces.Append(got, rest[:n])
				rest = rest[n:]
			}
			if got := string(pieces.Flush(got)); got != want {
				t.Errorf("in pieces of %d: %q, whole: %q", size, got, want)
			}
		}
	})
}

func FuzzOutput(f *testing.F) {
	f.Add("\x1b[31m\x07\u202e\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		out := tty.New(&b, tty.Options{Terminal: true})
		out.Println(tty.Plain(s), tty.Red(s))
		out.Printf("%s", s)
		_, _ = out.Write([]byte(s))
		_, _ = out.Data().Write([]byte(s))
		if err := out.JSON(map[string]string{"s": s}); err != nil {
			t.Fatal(err)
		}
		table := tty.Table{Path: 0}
		table.Row(tty.Bold(s), tty.Plain(s))
		table.Print(out)
		patch := tty.NewPatch(out)
		_, _ = patch.Write([]byte(s))
		_ = patch.Close()
		screen := tty.NewScreen(out, out, true)
		screen.Stream(tty.Answer, s)
		screen.Stream(tty.Thought, s)
		screen.Line(tty.Plain(s))
		screen.Close()
		harmless(t, b.String())
	})
}
