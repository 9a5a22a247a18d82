package scriptedagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// frame is a JSON-RPC message that came in.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// The JSON-RPC errors that the agent answers with.
const (
	codeUnknownMethod  = -32601
	codeBadParams      = -32602
	codeInternal       = -32603
	codeUnknownSession = -32002
)

// rpcError is an error as it is answered.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// wire writes frames. Its methods may be called concurrently.
type wire struct {
	mu   sync.Mutex
	file io.Writer
	buf  *bufio.Writer
}

func newWire(w io.Writer) *wire { return &wire{file: w, buf: bufio.NewWriterSize(w, 64<<10)} }

type object = map[string]any

func (w *wire) answer(id json.RawMessage, result any) error {
	return w.send(object{"jsonrpc": "2.0", "id": id, "result": result}, true)
}

func (w *wire) refuse(id json.RawMessage, err *rpcError) error {
	return w.send(object{"jsonrpc": "2.0", "id": id, "error": err}, true)
}

// update sends a session/update. Without flush it may wait in the buffer.
func (w *wire) update(session string, update object, flush bool) error {
	return w.send(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": session, "update": update}}, flush)
}

func (w *wire) send(message object, flush bool) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.buf.Write(data) // bufio keeps the error
	err = w.buf.WriteByte('\n')
	if flush {
		err = w.buf.Flush()
	}
	return err
}

// raw writes text as it is.
func (w *wire) raw(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.buf.WriteString(text)
	return w.buf.Flush()
}

// close flushes and closes what is written to.
func (w *wire) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.buf.Flush()
	if file, ok := w.file.(io.Closer); ok {
		err = file.Close()
	}
	return err
}
