package daemon_test

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

// As a child in the background, the test program is a daemon in the data
// directory that it is given; or it fails, or dies, if told so.
const (
	daemonIn = "BOO_TEST_DAEMON"
	daemonIs = "BOO_TEST_DAEMON_IS"
)

func daemonMain(data string) {
	p := daemon.Place{Data: data}
	switch os.Getenv(daemonIs) {
	case "dying":
		panic("out of luck")
	case "refusing":
		daemon.TellReady(orchestrator.Errorf(orchestrator.CodeFull, "no space").WithHint("df -h"))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := options(p, &work{})
	o.Ready = func() { daemon.TellReady(nil) }
	if err := daemon.Run(ctx, o); err != nil {
		daemon.TellReady(err)
	}
}

func starter(t *testing.T, p daemon.Place, is string) *daemon.Client {
	c := clientOf(p)
	c.Program = daemon.Program{Environ: []string{daemonIn + "=" + p.Data, daemonIs + "=" + is}}
	t.Cleanup(func() { _ = clientOf(p).Stop(context.Background(), false) })
	return c
}

func TestTwentyAtOnceStartOneDaemon(t *testing.T) {
	p := newPlace(t)
	pids := make([]int, 20)
	var all sync.WaitGroup
	for i := range pids {
		all.Go(func() {
			c := starter(t, p, "")
			info, other, err := c.Ensure(t.Context(), nil)
			if err != nil || other {
				t.Errorf("%v, %v", other, err)
			}
			pids[i] = info.PID
		})
	}
	all.Wait()
	for _, pid := range pids {
		if pid != pids[0] || pid == os.Getpid() {
			t.Fatalf("daemons %v", pids)
		}
	}
}

func TestAStartThatFailsSaysWhy(t *testing.T) {
	p := newPlace(t)
	_, _, err := starter(t, p, "dying").Ensure(t.Context(), nil)
	wantCode(t, orchestrator.CodeInternal, err)
	if !strings.Contains(err.Error(), "out of luck") || !strings.Contains(err.Error(), p.Log) {
		t.Fatal(err)
	}
	_, _, err = starter(t, p, "refusing").Ensure(t.Context(), nil)
	wantCode(t, orchestrator.CodeFull, err)
	if err.Error() != "no space" || orchestrator.HintOf(err) != "df -h" {
		t.Fatal(err)
	}
	info, err := os.Stat(p.Log)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Fatalf("the log has mode %o", info.Mode().Perm())
	}
}

func TestWhoWaitedForAStartHearsOfItsFailure(t *testing.T) {
	p := newPlace(t)
	began := time.Now()
	_, _, err := starter(t, p, "refusing").Ensure(t.Context(), nil)
	wantCode(t, orchestrator.CodeFull, err)
	c := starter(t, p, "dying")
	err = c.FailedSince(began)
	wantCode(t, orchestrator.CodeFull, err)
	if err.Error() != "no space" || orchestrator.HintOf(err) != "df -h" {
		t.Error(err)
	}
	must(t, c.FailedSince(time.Now())) // it is over
	c.Identity.Config = "mended"
	must(t, c.FailedSince(began))
	_, _, err = c.Ensure(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("who did not wait is told %v", err)
	}
	_, _, err = starter(t, p, "").Ensure(t.Context(), nil)
	must(t, err)
	must(t, starter(t, p, "").FailedSince(began))
}

func TestADaemonThatDiedIsReplacedAndOneThatWasStoppedIsNot(t *testing.T) {
	p := newPlace(t)
	c := starter(t, p, "")
	_, err := c.Redial(t.Context())
	wantCode(t, orchestrator.CodeNotFound, err) // there never was one
	first, _, err := c.Ensure(t.Context(), nil)
	must(t, err)
	must(t, syscall.Kill(first.PID, syscall.SIGKILL))
	until(t, func() bool { // it may still be about to die
		conn, err := c.Redial(t.Context())
		if err != nil {
			return false
		}
		must(t, conn.Close())
		second, err := c.Info(t.Context())
		return err == nil && second.PID != first.PID
	})
	must(t, c.Stop(t.Context(), false))
	_, err = c.Redial(t.Context())
	wantCode(t, orchestrator.CodeNotFound, err)
	wantCode(t, orchestrator.CodeNotFound, c.Stop(t.Context(), false))
}

func TestAnotherBooMakesRoomWhenItIsIdle(t *testing.T) {
	for name, id := range map[string]daemon.Identity{
		"another build":         {Version: "1", Protocol: 1, Build: "b", Config: "c"},
		"another protocol":      {Version: "0", Protocol: 2, Build: "b", Config: "c"},
		"another configuration": {Version: "1", Protocol: 1, Build: "a", Config: "d"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			o := options(p, &work{})
			o.Identity = id
			old := serve(t, o)
			info, other, err := starter(t, p, "").Ensure(t.Context(), nil)
			must(t, err)
			if other || info.Identity != mine {
				t.Fatalf("%+v, %v", info, other)
			}
			must(t, <-old.over)
		})
	}
}

func TestAnotherBooThatIsBusyIsUsedIfItCanBeSpokenWith(t *testing.T) {
	p, w := newPlace(t), &work{underWay: 2, idle: make(chan struct{})}
	o := options(p, w)
	o.Identity.Build = "older"
	old := serve(t, o)
	c := starter(t, p, "")
	info, other, err := c.Ensure(t.Context(), nil)
	must(t, err)
	if !other || info.Build != "older" {
		t.Fatalf("%+v, %v", info, other)
	}
	stranger := starter(t, p, "")
	stranger.Identity.Protocol = 9
	_, _, err = stranger.Ensure(t.Context(), nil)
	wantCode(t, orchestrator.CodeBusy, err)
	if !strings.Contains(err.Error(), "2 open turns") || orchestrator.HintOf(err) == "" {
		t.Fatal(err)
	}
	w.finish() // it was told to leave then
	must(t, <-old.over)
	conn, err := c.Redial(t.Context()) // who was with it has a daemon all the same
	must(t, err)
	must(t, conn.Close())
	info, err = c.Info(t.Context())
	must(t, err)
	if info.Identity != mine {
		t.Fatalf("%+v", info)
	}
}
