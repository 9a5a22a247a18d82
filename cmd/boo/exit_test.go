package main

import (
	"fmt"
	"strings"
	"testing"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func TestEveryCodeHasAnExitStatus(t *testing.T) {
	for _, code := range orchestrator.Codes() {
		if status, ok := exits[code]; !ok || status < 1 || status > 130 {
			t.Errorf("%s: status %d (%v)", code, status, ok)
		}
	}
	if len(exits) != len(orchestrator.Codes()) {
		t.Errorf("the table has %d rows for %d codes", len(exits), len(orchestrator.Codes()))
	}
}

// testEnv is an env on strings.
func testEnv(svc *fakeService) (e *env, stdout, stderr *strings.Builder) {
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	e = newEnv()
	e.Stdout, e.Stderr = tty.New(stdout, tty.Options{}), tty.New(stderr, tty.Options{})
	e.Stdin, e.StdinTerminal, e.SameOutput = strings.NewReader(""), false, false
	e.Dir = "/"
	if svc != nil {
		e.svc, e.live = svc, svc
	}
	return e, stdout, stderr
}

func TestAnErrorIsToldWithTheCommandToRunNext(t *testing.T) {
	err := fmt.Errorf("apply: %w", orchestrator.Errorf(orchestrator.CodeConflict, "greet.go \x1b[2Jcollides").WithHint("boo pending show"))
	e, _, stderr := testEnv(nil)
	if status := e.report(err); status != 8 {
		t.Errorf("status %d", status)
	}
	if got, want := stderr.String(), "boo: apply: greet.go ␛[2Jcollides\ntry: boo pending show\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	e, _, stderr = testEnv(nil)
	e.JSON = true
	e.report(err)
	want := `{"error":{"code":"conflict","message":"apply: greet.go \u001b[2Jcollides","hint":"boo pending show"}}` + "\n"
	if stderr.String() != want {
		t.Errorf("as JSON: %q, want %q", stderr.String(), want)
	}
}

func TestWhatWasSettledIsSaidToPeopleAndPrograms(t *testing.T) {
	t.Parallel()
	svc := newFake()
	svc.settled = []orchestrator.Recovery{{Chat: "c000000001", Message: "an apply that was cut off is \x1b[2Jfinished"}}
	for asJSON, want := range map[bool]string{
		false: "recovered: an apply that was cut off is ␛[2Jfinished\n",
		true:  `{"recovered":{"chat":"c000000001","message":"an apply that was cut off is \u001b[2Jfinished"}}` + "\n",
	} {
		e, stdout, stderr := testEnv(svc)
		e.JSON = asJSON
		if err := e.recover(t.Context(), svc); err != nil || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%v, stdout %q, stderr %q, want %q", err, stdout, stderr, want)
		}
	}
}
