package pending

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// untouched turns what kept an apply or undo from happening into an error for
// people, saying that nothing was changed.
func untouched(what string, c orchestrator.CheckoutDir, err error) error {
	e := orchestrator.Errorf(codeOf(err), "%s %s: %w; nothing was changed", what, c, err)
	hint := orchestrator.HintOf(err)
	switch {
	case hint != "":
	case errors.Is(err, errChanged):
		hint = "boo pending ls"
	case e.Code == orchestrator.CodeFull:
		hint = "df -h " + string(c)
	case e.Code == orchestrator.CodeDenied:
		hint = "ls -la " + string(c)
	}
	return e.WithHint("%s", hint)
}

// stuck is the error of an apply that could be neither finished nor taken back
// now. The record is on disk: it is taken back as soon as that is possible.
func stuck(what string, c orchestrator.CheckoutDir, err, back error) error {
	return orchestrator.Errorf(codeOf(back), "%s %s: %w; taking it back was cut off too (%v), and the next boo command goes on with it",
		what, c, err, back).WithHint("boo pending ls")
}

// codeOf finds the code of an error that may come from the system.
func codeOf(err error) orchestrator.Code {
	switch {
	case errors.Is(err, context.Canceled):
		return orchestrator.CodeInterrupted
	case errors.Is(err, errChanged):
		return orchestrator.CodeConflict
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return orchestrator.CodeFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EROFS):
		return orchestrator.CodeDenied
	}
	return orchestrator.CodeOf(err)
}

// collision is the error that goes with a result that names conflicts. It does
// not name them once more.
func collision(what string, c orchestrator.CheckoutDir, conflicts []orchestrator.PathConflict, total int, hint string) error {
	word := "collide"
	if strings.HasPrefix(conflicts[0].Reason, "refused: ") {
		word = "are refused"
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "%s %s: %d of %d changes %s; nothing was changed",
		what, c, len(conflicts), total, word).WithHint("%s", hint)
}
