package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

// work is what the daemons of these tests do: they say hello, and something is
// under way until they are told otherwise.
type work struct {
	mu       sync.Mutex
	underWay int
	idle     chan struct{}
	steps    []string
}

func (w *work) ServeHTTP(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "hello") }

func (w *work) Retire() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.underWay
}

func (w *work) WaitIdle(ctx context.Context) error {
	select {
	case <-w.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *work) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.underWay = 0
	close(w.idle)
}

func (w *work) Drain(context.Context) error { return w.step("drain") }
func (w *work) Close() error                { return w.step("close") }

func (w *work) step(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, name)
	return nil
}

func (w *work) done() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.steps, " ")
}

var mine = daemon.Identity{Version: "1", Protocol: 1, Build: "a", Config: "c"}

func newPlace(t *testing.T) daemon.Place {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(data, 0o700))
	return daemon.Place{Data: data, Log: filepath.Join(data, "state", "daemon.log")}
}

func options(p daemon.Place, w daemon.Work) daemon.Options {
	return daemon.Options{
		Place: p, Identity: mine, Log: slog.New(slog.DiscardHandler),
		Open:   func(context.Context) (daemon.Work, error) { return w, nil },
		Server: func(h http.Handler) *http.Server { return &http.Server{Handler: h} },
		Inside: func(int) (bool, error) { return false, nil },
		Ready:  func() {}, Getenv: func(string) string { return "" },
	}
}

// serving is a daemon in a goroutine of the test.
type serving struct {
	end  context.CancelFunc
	over chan error
}

func serve(t *testing.T, o daemon.Options) serving {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := serving{end: cancel, over: make(chan error, 1)}
	ready := make(chan struct{})
	o.Ready = func() { close(ready) }
	go func() {
		s.over <- daemon.Run(ctx, o)
		close(s.over)
	}()
	t.Cleanup(func() {
		cancel()
		for range s.over {
		}
	})
	select {
	case <-ready:
	case err := <-s.over:
		t.Fatalf("it has ended: %v", err)
	}
	return s
}

func clientOf(p daemon.Place) *daemon.Client { return &daemon.Client{Place: p, Identity: mine} }

func hello(t *testing.T, c *daemon.Client) (string, int) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return c.Dial(ctx) },
	}}
	resp, err := client.Get("http://boo/")
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(text), resp.StatusCode
}

func TestADaemonServesAndSaysWhoItIs(t *testing.T) {
	p := newPlace(t)
	s := serve(t, options(p, &work{}))
	c := clientOf(p)
	if text, _ := hello(t, c); text != "hello" {
		t.Fatalf("it says %q", text)
	}
	info, err := c.Info(t.Context())
	must(t, err)
	if info.Identity != mine || info.PID != os.Getpid() || info.Socket != p.Socket() || info.Started.IsZero() {
		t.Fatalf("%+v", info)
	}
	for path, want := range map[string]os.FileMode{p.Socket(): 0o600, filepath.Dir(p.Socket()): 0o700} {
		stat, err := os.Stat(path)
		must(t, err)
		if stat.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, stat.Mode().Perm(), want)
		}
	}
	s.end()
	must(t, <-s.over)
	if _, err := os.Lstat(p.Socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
	_, err = c.Info(t.Context())
	wantCode(t, orchestrator.CodeNotFound, err)
}

func wantCode(t *testing.T, want orchestrator.Code, err error) {
	t.Helper()
	if orchestrator.CodeOf(err) != want || err == nil {
		t.Fatalf("got %v, want code %s", err, want)
	}
}

func TestADataDirectoryHasOneDaemon(t *testing.T) {
	p := newPlace(t)
	first := serve(t, options(p, &work{}))
	err := daemon.Run(t.Context(), options(p, &work{}))
	wantCode(t, orchestrator.CodeBusy, err)
	if !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Fatal(err)
	}
	first.end()
	must(t, <-first.over)
	serve(t, options(p, &work{}))
}

func TestASocketThatADeadDaemonLeftIsReplaced(t *testing.T) {
	p := newPlace(t)
	must(t, os.Mkdir(filepath.Dir(p.Socket()), 0o700))
	l, err := net.Listen("unix", p.Socket())
	must(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, l.Close())
	_, err = clientOf(p).Info(t.Context())
	wantCode(t, orchestrator.CodeNotFound, err)
	serve(t, options(p, &work{}))
	hello(t, clientOf(p))
}

func TestALongPathWillDo(t *testing.T) {
	p := newPlace(t)
	p.Data = filepath.Join(p.Data, strings.Repeat("long/", 40))
	must(t, os.MkdirAll(p.Data, 0o700))
	serve(t, options(p, &work{}))
	if text, _ := hello(t, clientOf(p)); text != "hello" {
		t.Fatalf("it says %q", text)
	}
}

func TestAPlaceThatIsNotOursAloneIsRefused(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"open to others":  func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o711)) },
		"a symbolic link": func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file":          func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"something else there": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "socket"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			must(t, prepare(filepath.Dir(p.Socket())))
			err := daemon.Run(t.Context(), options(p, &work{}))
			wantCode(t, orchestrator.CodeDenied, err)
			if orchestrator.HintOf(err) == "" {
				t.Fatal(err)
			}
			if name != "something else there" {
				_, err = clientOf(p).Info(t.Context())
				wantCode(t, orchestrator.CodeDenied, err)
			}
		})
	}
}

func TestBothSidesWantTheirOwnUser(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	if err := daemon.CheckPeer(here, os.Geteuid()); err == nil {
		t.Error("a connection of which nothing is known is taken")
	}
	p := newPlace(t)
	serve(t, options(p, &work{}))
	conn, err := clientOf(p).Dial(t.Context())
	must(t, err)
	defer conn.Close()
	must(t, daemon.CheckPeer(conn, os.Geteuid()))
	err = daemon.CheckPeer(conn, os.Geteuid()+1)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d is of user %d", os.Getpid(), os.Geteuid())) {
		t.Fatal(err)
	}
}

func TestAnAgentMayNotCommandItsDaemon(t *testing.T) {
	for name, inside := range map[string]func(int) (bool, error){
		"inside":  func(pid int) (bool, error) { return pid == os.Getpid(), nil },
		"unknown": func(int) (bool, error) { return false, errors.New("gone") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			o := options(p, &work{})
			o.Inside = inside
			serve(t, o)
			text, status := hello(t, clientOf(p))
			var answer struct {
				Error struct{ Code orchestrator.Code }
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusForbidden || answer.Error.Code != orchestrator.CodeDenied {
				t.Fatalf("%d %s", status, text)
			}
			wantCode(t, orchestrator.CodeDenied, clientOf(p).Stop(t.Context(), false))
		})
	}
}

func TestTheEndIsInOrder(t *testing.T) {
	p, w := newPlace(t), &work{underWay: 1}
	s := serve(t, options(p, w))
	must(t, clientOf(p).Stop(t.Context(), false)) // returns when all is over
	if w.done() != "drain close" {
		t.Fatal(w.done())
	}
	serve(t, options(p, &work{})) // also the lock is free
	must(t, <-s.over)
}

func TestWhenIdleWaitsForTheEndOfWhatRuns(t *testing.T) {
	p, w := newPlace(t), &work{underWay: 1, idle: make(chan struct{})}
	s := serve(t, options(p, w))
	stopped := make(chan error, 1)
	go func() { stopped <- clientOf(p).Stop(t.Context(), true) }()
	until(t, func() bool {
		info, err := clientOf(p).Info(t.Context())
		must(t, err)
		return info.Leaving
	})
	if w.done() != "" {
		t.Fatal("it has not waited")
	}
	w.finish()
	must(t, <-stopped)
	must(t, <-s.over)
}

func TestADaemonEndsWithItsDataDirectory(t *testing.T) {
	for name, remove := range map[string]func(p daemon.Place) error{
		"removed":          func(p daemon.Place) error { return os.RemoveAll(p.Data) },
		"moved":            func(p daemon.Place) error { return os.Rename(p.Data, p.Data+".other") },
		"its lock removed": func(p daemon.Place) error { return os.Remove(filepath.Join(p.Data, "locks", "daemon.lock")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := serve(t, options(p, &work{}))
			must(t, remove(p))
			must(t, <-s.over)
		})
	}
}

func TestTheServiceManagerIsTold(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(t.TempDir(), "n")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	must(t, err)
	defer manager.Close()
	o := options(p, &work{})
	o.Getenv = func(name string) string {
		return map[string]string{"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000"}[name]
	}
	s := serve(t, o)
	heard := func() string {
		buf := make([]byte, 64)
		n, err := manager.Read(buf)
		must(t, err)
		return string(buf[:n])
	}
	if first := heard(); first != "READY=1" {
		t.Fatal(first)
	}
	if next := heard(); next != "WATCHDOG=1" {
		t.Fatal(next)
	}
	s.end()
	for word := ""; word != "STOPPING=1"; word = heard() {
	}
	must(t, <-s.over)
}

func TestWorkThatCannotBeOpenedEndsTheDaemon(t *testing.T) {
	p := newPlace(t)
	why := orchestrator.Errorf(orchestrator.CodeFull, "no space")
	o := options(p, nil)
	o.Open = func(context.Context) (daemon.Work, error) { return nil, why }
	if err := daemon.Run(t.Context(), o); !errors.Is(err, why) {
		t.Fatal(err)
	}
	serve(t, options(p, &work{})) // the claim is given up
}

func until(t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() {
		if t.Context().Err() != nil {
			t.Fatal("it did not come to hold")
		}
		runtime.Gosched()
	}
}
