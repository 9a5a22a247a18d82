package foreground_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"boo/cmd/boo/internal/foreground"
)

func TestRunGivesTheProgramItsStreamsPlaceAndEnvironment(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	err := foreground.Run(t.Context(), foreground.Program{
		Args: []string{"sh", "-c", `read line; echo "$line $WORD"; pwd -P`},
		Env:  []string{"WORD=there"}, Dir: dir, Stdin: strings.NewReader("hello\n"), Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(out.String(), "\n"); got[0] != "hello there" || !strings.HasSuffix(got[1], dir[strings.LastIndex(dir, "/"):]) {
		t.Errorf("the program said %q", out.String())
	}
}

func TestRunTellsHowAProgramEnded(t *testing.T) {
	err := foreground.Run(t.Context(), foreground.Program{Args: []string{"sh", "-c", "exit 9"}})
	if ended, ok := errors.AsType[*foreground.Error](err); !ok || ended.Code != 9 {
		t.Errorf("a program that failed: %v", err)
	}
	err = foreground.Run(t.Context(), foreground.Program{Args: []string{"boo-there-is-no-such-program"}})
	if _, ok := errors.AsType[*foreground.Error](err); ok || err == nil {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestTheEndOfTheContextEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- foreground.Run(ctx, foreground.Program{Args: []string{"sh", "-c", "echo started; exec sleep 60"}, Stdout: w})
	}()
	if _, err := r.Read(make([]byte, 8)); err != nil { // it runs now
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("the program ended well")
	}
}
