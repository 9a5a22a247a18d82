package gitcmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Pipe is a command that answers line by line while it runs. One goroutine
// uses it, and closes it.
type Pipe struct {
	ctx    context.Context
	call   Call
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer

	closed bool
	end    error // what Close returned
}

// Open starts a command that is spoken with. Stdin and Stdout of c are not used.
func (g *Git) Open(ctx context.Context, c Call) (*Pipe, error) {
	c, err := g.withoutHooks(ctx, c)
	if err != nil {
		return nil, err
	}
	p := &Pipe{ctx: ctx, call: c, cmd: g.command(ctx, c)}
	p.cmd.Stderr = &head{buf: &p.stderr}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open standard input of git: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open standard output of git: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, newError(ctx, c, err, "")
	}
	return p, nil
}

// Ask writes a request and returns the line of the answer, without its end.
func (p *Pipe) Ask(request []byte) (string, error) {
	defer unblock(p.call)()
	if _, err := p.in.Write(request); err != nil {
		return "", p.broken(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.broken(err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// Object asks a running "cat-file --batch" for an object of at most limit
// bytes. Kind is "missing" if there is none; the content of a larger one is
// dropped, and only its size told.
func (p *Pipe) Object(id string, limit int64) (kind string, size int64, content []byte, err error) {
	line, err := p.Ask([]byte(id + "\n"))
	if err != nil {
		return "", 0, nil, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return "missing", 0, nil, nil
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return "", 0, nil, fmt.Errorf("read the size of object %s: %w", id, err)
	}
	if size > limit {
		_, err = io.CopyN(io.Discard, p.out, size+1)
	} else {
		content = make([]byte, size+1) // git ends each object with a newline
		_, err = io.ReadFull(p.out, content)
		content = content[:size]
	}
	if err != nil {
		return "", 0, nil, p.broken(err)
	}
	return fields[1], size, content, nil
}

// Close ends the input and waits for the command. Closing again returns the
// same.
func (p *Pipe) Close() error {
	if p.closed {
		return p.end
	}
	p.closed = true
	_ = p.in.Close() // the command may be gone; its exit status says so
	_, _ = io.Copy(io.Discard, p.out)
	if err := p.cmd.Wait(); err != nil {
		p.end = newError(p.ctx, p.call, err, p.stderr.String())
	}
	return p.end
}

// broken says why a running command stopped answering.
func (p *Pipe) broken(err error) error {
	if closed := p.Close(); closed != nil {
		return closed
	}
	return newError(p.ctx, p.call, err, p.stderr.String())
}
