package api

import (
	"encoding/json"
	"net/http"

	"boo/orchestrator"
)

// statuses is the one table of HTTP statuses. The code itself travels beside
// them, so two codes may share one.
var statuses = map[orchestrator.Code]int{
	orchestrator.CodeInternal:    http.StatusInternalServerError,
	orchestrator.CodeInvalid:     http.StatusBadRequest,
	orchestrator.CodeNotFound:    http.StatusNotFound,
	orchestrator.CodeAtRisk:      http.StatusPreconditionFailed,
	orchestrator.CodeUnverified:  http.StatusBadGateway,
	orchestrator.CodeBusy:        http.StatusLocked,
	orchestrator.CodeAgent:       http.StatusFailedDependency,
	orchestrator.CodeCommand:     http.StatusUnprocessableEntity,
	orchestrator.CodeConflict:    http.StatusConflict,
	orchestrator.CodeInterrupted: http.StatusServiceUnavailable,
	orchestrator.CodeFull:        http.StatusInsufficientStorage,
	orchestrator.CodeDenied:      http.StatusForbidden,
}

// failure is an error as it travels.
type failure struct {
	Code    orchestrator.Code `json:"code"`
	Message string            `json:"message"`
	Hint    string            `json:"hint,omitempty"`
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{Code: orchestrator.CodeOf(err), Message: err.Error(), Hint: orchestrator.HintOf(err)}
}

func (f *failure) err() error {
	if f == nil {
		return nil
	}
	return &orchestrator.Error{Code: f.Code, Msg: f.Message, Hint: f.Hint}
}

// answer is what comes back from a call that failed: with CodeConflict an apply
// has a result all the same.
type answer struct {
	Error  *failure        `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}
