package opencode

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

const (
	readyTime  = 30 * time.Second
	healthTime = 10 * time.Second
	healthStep = 100 * time.Millisecond
	liveTime   = 10 * time.Second
	maxStarts  = 3
	startStep  = 750 * time.Millisecond // before the second start; doubled before each other
	// badConfig is in what a server prints that cannot read its configuration.
	badConfig = "Config file at"
	// maxBanner bounds what is kept of what a server prints, in bytes.
	maxBanner = 8 << 10
	readyMark = "opencode server listening on"
	user      = "opencode"
)

// Protocol starts servers of opencode. It implements backends.Protocol; the
// zero value is ready.
type Protocol struct {
	// Dir is a directory of boo's own for what a server is to load; made when
	// needed. Without one, the commands that agents run see the server's password.
	Dir string
}

var _ backends.Protocol = Protocol{}

// Boot starts a server and waits until it is healthy and its stream of events
// is live. A server that ended, or was not ready in time, is ended and tried
// again with another password and port, maxStarts times in all. On error the
// child has been ended.
func (p Protocol) Boot(ctx context.Context, def backends.Definition, launch backends.Launch) (backends.Host, error) {
	for start := 1; ; start++ {
		h, err := p.start(ctx, def, launch)
		if err == nil {
			return h, nil
		}
		if h == nil {
			return nil, err // nothing was launched
		}
		if start == maxStarts || !passing(err) || h.misconfigured() {
			return nil, h.unready(err, start)
		}
		select {
		case <-time.After(startStep << (start - 1)):
		case <-ctx.Done():
			return nil, h.unready(context.Cause(ctx), start)
		}
	}
}

// start tries to start a server. On error the host, unless it is nil, has been
// ended, and has all that it printed.
func (p Protocol) start(ctx context.Context, def backends.Definition, launch backends.Launch) (*Host, error) {
	password := rand.Text()
	child, err := launch(ctx, func(env []string) ([]string, error) { return p.environment(env, password) })
	if err != nil {
		return nil, err
	}
	h := newHost(def, child)
	h.tasks.Go(func() { h.banner.read(child.Stdout()) })
	if err = h.begin(ctx, password); err != nil {
		if ended := h.Close(context.WithoutCancel(ctx)); ended != nil {
			err = fmt.Errorf("%w (%w) after this: %v", errLeft, ended, err)
		}
	}
	return h, err
}

// passing reports whether the same start may do better the next time.
func passing(err error) bool {
	return errors.Is(err, errExited) || errors.Is(err, errUnready) || errors.Is(err, errUnwell) || errors.Is(err, errSilent)
}

// misconfigured reports whether the server ended for what a person has to set.
func (h *Host) misconfigured() bool {
	said := h.said()
	return strings.Contains(said, badConfig) || slices.ContainsFunc(h.def.Quirks.Setup, func(s backends.SetupHint) bool { return strings.Contains(said, s.Match) })
}

// begin waits for the ready line, then for health, then for the stream.
func (h *Host) begin(ctx context.Context, password string) error {
	base, err := h.banner.wait(ctx, h.child.Done())
	if err != nil {
		return err
	}
	h.api = newAPI(base, password)
	if h.version, err = h.awaitHealth(ctx); err != nil {
		return err
	}
	h.tasks.Go(func() { h.listen(h.life) })
	return h.awaitLive(ctx)
}

func (h *Host) awaitHealth(ctx context.Context) (version string, err error) {
	limit, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	for {
		if version, err = h.api.health(limit, probeTime); err == nil {
			return version, nil
		}
		select {
		case <-time.After(healthStep):
		case <-h.child.Done():
			return "", errExited
		case <-limit.Done():
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if r, ok := errors.AsType[*refusal](err); ok && r.Status/100 == 4 {
				return "", fmt.Errorf("it answers, but %w", err)
			}
			return "", fmt.Errorf("%w: %w", errUnwell, err)
		}
	}
}

var (
	errExited  = errors.New("it ended")
	errUnready = errors.New("it did not say where it listens")
	errUnwell  = errors.New("it is not healthy")
	errSilent  = errors.New("it sends no events; nothing was sent to it")
	errLeft    = errors.New("it could not be ended")
)

// unready is the error of a server that did not come up in so many starts.
func (h *Host) unready(err error, starts int) error {
	if errors.Is(err, context.Canceled) {
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "stopped before the server of agent %s was ready: %w", h.def.Name, err)
	}
	if errors.Is(err, errExited) {
		err = fmt.Errorf("%w (%s)", err, h.child.Exit().String())
	}
	if starts > 1 {
		err = fmt.Errorf("%d times, the last time %w", starts, err)
	}
	return orchestrator.Errorf(orchestrator.CodeAgent, "the server of agent %s did not start: %w%s", h.def.Name, err, h.said()).
		WithHint("boo agents doctor %s", h.def.Name)
}

// banner reads what a server prints: first of all, where it listens.
type banner struct {
	ready chan string // the address; capacity 1

	mu   sync.Mutex
	text []byte // the newest of what was printed
}

// read drains the output, so that the server never waits for it.
func (b *banner) read(out io.Reader) {
	in := bufio.NewReader(out)
	found := false
	for {
		line, err := in.ReadSlice('\n') // a long line comes in pieces, which is all the same here
		b.keep(line)
		if address, ok := strings.CutPrefix(strings.TrimSpace(string(line)), readyMark); ok && !found {
			found = true
			b.ready <- strings.TrimSpace(address)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (b *banner) keep(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, line...)
	if over := len(b.text) - maxBanner; over > 0 {
		b.text = append(b.text[:0], b.text[over:]...)
	}
}

func (b *banner) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}

// wait returns the address of the ready line, which has to be on loopback.
func (b *banner) wait(ctx context.Context, ended <-chan struct{}) (base string, err error) {
	timer := time.NewTimer(readyTime)
	defer timer.Stop()
	select {
	case address := <-b.ready:
		at, err := url.Parse(address)
		if err != nil || at.Scheme != "http" || at.Hostname() != "127.0.0.1" || at.Port() == "" {
			return "", fmt.Errorf("it says that it listens on %q", address)
		}
		return "http://" + at.Host, nil
	case <-ended:
		return "", errExited
	case <-timer.C:
		return "", errUnready
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
