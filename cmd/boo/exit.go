package main

import (
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// The exit statuses that are not those of a code.
const (
	exitDone       = 0
	exitClosedPipe = 141 // as a shell reports a program that SIGPIPE ended
)

// exits is the one table of exit statuses.
var exits = map[orchestrator.Code]int{
	orchestrator.CodeInternal:    1,
	orchestrator.CodeInvalid:     2,
	orchestrator.CodeNotFound:    3,
	orchestrator.CodeAtRisk:      4,
	orchestrator.CodeUnverified:  5,
	orchestrator.CodeBusy:        6,
	orchestrator.CodeAgent:       7,
	orchestrator.CodeConflict:    8,
	orchestrator.CodeInterrupted: 130,
	orchestrator.CodeFull:        1,
	orchestrator.CodeDenied:      1,
	orchestrator.CodeCommand:     1,
}

// report tells the person what went wrong and returns the exit status.
func (e *env) report(err error) int {
	switch {
	case e.gone():
		return exitClosedPipe
	case err == nil && e.Stdout.Err() != nil:
		err = orchestrator.Errorf(orchestrator.CodeInternal, "write the output: %w", e.Stdout.Err())
	case err == nil:
		return exitDone
	}
	code := orchestrator.CodeOf(err)
	if e.JSON {
		e.reportJSON(code, err)
	} else {
		e.Stderr.Println(tty.Red("boo: "), tty.Plain(err.Error()))
		if hint := orchestrator.HintOf(err); hint != "" {
			e.Stderr.Println(tty.Bold("try: "), tty.Plain(hint))
		}
	}
	return exits[code]
}

type errorView struct {
	Code    orchestrator.Code `json:"code"`
	Message string            `json:"message"`
	Hint    string            `json:"hint,omitempty"`
}

func (e *env) reportJSON(code orchestrator.Code, err error) {
	view := errorView{Code: code, Message: err.Error(), Hint: orchestrator.HintOf(err)}
	// Strings always marshal; there is nowhere left to report to anyway.
	_ = e.Stderr.JSON(map[string]errorView{"error": view})
}
