package orchestrator_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"boo/orchestrator"
)

func TestErrorsKeepCodeHintAndCause(t *testing.T) {
	inner := orchestrator.Errorf(orchestrator.CodeConflict, "merge %s: %w", "a.go", fs.ErrExist).WithHint("boo pending ls")
	err := fmt.Errorf("apply: %w", inner)

	if got, want := err.Error(), "apply: merge a.go: file already exists"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("code %s", orchestrator.CodeOf(err))
	}
	if orchestrator.HintOf(err) != "boo pending ls" {
		t.Errorf("hint %q", orchestrator.HintOf(err))
	}
	if !errors.Is(err, fs.ErrExist) {
		t.Error("the cause is out of reach")
	}
}

func TestAnOuterErrorWithoutHintKeepsTheInnerOne(t *testing.T) {
	inner := orchestrator.Errorf(orchestrator.CodeAgent, "no key").WithHint("goose configure")
	outer := &orchestrator.Error{Code: orchestrator.CodeInternal, Msg: "start goose", Err: inner}
	if orchestrator.HintOf(outer) != "goose configure" || outer.Error() != "start goose: no key" {
		t.Errorf("hint %q, message %q", orchestrator.HintOf(outer), outer)
	}
}

func TestAnErrorWithoutCodeIsInternal(t *testing.T) {
	if orchestrator.CodeOf(errors.New("x")) != orchestrator.CodeInternal || orchestrator.HintOf(errors.New("x")) != "" {
		t.Error("an error of the machine's is internal and has no hint")
	}
}
