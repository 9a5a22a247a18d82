package inbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

const limit = 100

func open(t *testing.T, path string) *Inbox {
	t.Helper()
	b, err := Open(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, b *Inbox, want ...string) {
	t.Helper()
	for _, w := range want {
		got, err := b.Next(t.Context())
		if err != nil || got.Text != w {
			t.Fatalf("%q, %v; want %q", got.Text, err, w)
		}
		if err := b.Settle(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMessagesComeWholeAndInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	b := open(t, path)
	write(t, path, "first\x00sec")
	expect(t, b, "first")
	write(t, path, "ond\nline\x00\x00third\x00")
	expect(t, b, "second\nline", "", "third")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.part()); !os.IsNotExist(err) {
		t.Errorf("something was kept of nothing: %v", err)
	}
}

func TestWhatIsNotSettledIsThereTheNextTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	b := open(t, path)
	write(t, path, "first\x00second\x00third\x00fou")
	expect(t, b, "first")
	for end, leave := range map[string]func(b *Inbox) error{
		"closed": (*Inbox).Close,
		"killed": func(b *Inbox) error {
			err := b.pipe.Close() // ends the reader
			<-b.over
			return err
		},
	} {
		before, err := b.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := leave(b); err != nil {
			t.Fatal(err)
		}
		b = open(t, path)
		if again, err := b.Next(t.Context()); err != nil || again != before {
			t.Errorf("%s: %v is %v the next time, %v", end, before, again, err)
		}
		if err := b.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, "rth\x00")
	expect(t, b, "fourth")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.part()); !os.IsNotExist(err) {
		t.Errorf("something is left of nothing: %v", err)
	}
}

func TestEachMessageHasAKeyOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	keys := map[string]bool{}
	for range 3 {
		b := open(t, path)
		for range 3 {
			write(t, path, "same\x00same\x00")
			for range 2 {
				m, err := b.Next(t.Context())
				if err != nil || keys[m.Key] {
					t.Fatalf("%v again, %v", m, err)
				}
				keys[m.Key] = true
				if err := b.Settle(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A journal that is cut off while it begins anew has nothing in it.
func TestAJournalThatBeginsAnewIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	b := open(t, path)
	write(t, path, "first\x00se")
	expect(t, b, "first")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(b.part())
	if err == nil {
		err = os.WriteFile(b.part(), text[:headSize], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b = open(t, path)
	write(t, path, "other\x00")
	expect(t, b, "other")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.part(), []byte("anything else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, limit); orchestrator.CodeOf(err) != orchestrator.CodeDenied || orchestrator.HintOf(err) == "" {
		t.Error(err)
	}
}

func TestALongMessageIsDroppedAndSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	b := open(t, path)
	fits := strings.Repeat("y", limit)
	write(t, path, "a\x00"+strings.Repeat("x", limit+1)+"\x00"+fits+"\x00")
	expect(t, b, "a")
	if _, err := b.Next(t.Context()); !errors.Is(err, ErrTooLong) {
		t.Fatal(err)
	}
	expect(t, b, fits)

	// It is dropped also if its end is written to another process.
	write(t, path, strings.Repeat("x", limit+1))
	if _, err := b.Next(t.Context()); !errors.Is(err, ErrTooLong) {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, path)
	defer b.Close()
	write(t, path, "xx\x00b\x00")
	expect(t, b, "b")
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.fifo")
	b := open(t, path)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	ended := make(chan error)
	go func() {
		_, err := b.Next(ctx)
		ended <- err
	}()
	cancel(why)
	if err := <-ended; !errors.Is(err, why) {
		t.Error(err)
	}
	write(t, path, "late\x00")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, path)
	defer b.Close()
	expect(t, b, "late")
}

func TestOnlyAPipeOfOnesOwnWillDo(t *testing.T) {
	for what, spoil := range map[string]func(path string) error{
		"a file":          func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a symlink":       func(path string) error { return os.Symlink("/dev/null", path) },
		"open for others": func(path string) error { return os.Chmod(path, 0o622) },
	} {
		path := filepath.Join(t.TempDir(), "chat.fifo")
		if what == "open for others" {
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, limit); orchestrator.CodeOf(err) != orchestrator.CodeDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
}
