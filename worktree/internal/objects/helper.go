package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// request is one question to git.
type request struct {
	ctx     context.Context
	command string // of --batch-command: "info" or "contents"
	id      orchestrator.ObjectID
	// answer is called by the helper with what git says; body yields the
	// content where that was asked for.
	answer func(kind objectid.Kind, size int64, body io.Reader) error
	done   chan error // has room for the one result
}

// serve answers requests with a process of its own until there are no more.
func serve(ctx context.Context, start func(context.Context) (Process, error), requests <-chan request) {
	h := helper{ctx: ctx, start: start}
	for req := range requests {
		req.done <- h.do(req)
	}
	h.stop()
}

type helper struct {
	ctx     context.Context
	start   func(context.Context) (Process, error)
	process Process // nil when none is running
}

// do answers one request. A process that was found dead, as after the machine
// ran out of memory, is replaced once.
func (h *helper) do(req request) error {
	if err := req.ctx.Err(); err != nil {
		return err
	}
	fresh := h.process == nil
	line, err := h.ask(req)
	if err != nil && !fresh {
		line, err = h.ask(req)
	}
	if err != nil {
		return err
	}
	kind, size, err := parseHeader(line)
	if err != nil {
		if !errors.Is(err, ErrNotFound) {
			h.stop() // it is not clear what comes next
		}
		return err
	}
	body := &body{ctx: req.ctx, r: h.process}
	if req.command == "contents" {
		body.left = size
	}
	err = req.answer(kind, size, body)
	if req.command == "contents" {
		h.skip(body)
	}
	return err
}

func (h *helper) ask(req request) (string, error) {
	if h.process == nil {
		process, err := h.start(h.ctx)
		if err != nil {
			return "", fmt.Errorf("start git: %w", err)
		}
		h.process = process
	}
	line, err := h.process.Ask([]byte(req.command + " " + string(req.id) + "\n"))
	if err != nil {
		h.stop()
	}
	return line, err
}

// skipped is how many bytes are read away rather than to start a new process.
const skipped = 1 << 20

// skip reads what the answer left of the content, and the newline after it. A
// process that is in the midst of too much, or broken, is ended.
func (h *helper) skip(b *body) {
	if b.left > skipped || b.broken {
		h.stop()
		return
	}
	if _, err := io.CopyN(io.Discard, h.process, b.left+1); err != nil {
		h.stop()
	}
}

func (h *helper) stop() {
	if h.process != nil {
		_ = h.process.Close() // nothing was written that could be lost
		h.process = nil
	}
}

// parseHeader reads "<id> <kind> <size>" or "<id> missing".
func parseHeader(line string) (objectid.Kind, int64, error) {
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return 0, 0, ErrNotFound
	}
	if len(fields) != 3 {
		return 0, 0, fmt.Errorf("git answers %q", line)
	}
	kind, err := objectid.ParseKind(fields[1])
	if err != nil {
		return 0, 0, err
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return 0, 0, fmt.Errorf("git answers %q", line)
	}
	return kind, size, nil
}

// body is the content of one object on its way from git.
type body struct {
	ctx    context.Context
	r      io.Reader
	left   int64
	broken bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil {
		b.broken = true
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}
