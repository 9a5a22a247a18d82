package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

// What is refused before a daemon is needed starts none.
func TestAnErrorBeforeTheStartStartsNothing(t *testing.T) {
	p := newPlace(t)
	c := starter(t, p, "")
	refused := errors.New("refused")
	if _, _, err := c.Ensure(t.Context(), func(context.Context) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	if _, err := c.Info(t.Context()); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a daemon runs: %v", err)
	}
}

// The connection over which it was asked serves the first call; one whose daemon
// has ended since does not.
func TestAConnectionIsHandedOnWhileItsDaemonLives(t *testing.T) {
	p := newPlace(t)
	c := starter(t, p, "")
	info, _, err := c.Ensure(t.Context(), func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.Redial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body, err := daemon.Exchange(conn)
	if err != nil || !strings.Contains(string(body), fmt.Sprintf(`"pid":%d`, info.PID)) {
		t.Errorf("it says %s, %v, and is process %d", body, err, info.PID)
	}
	_, _, err = c.Ensure(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := clientOf(p).Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redial(t.Context()); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a connection with a daemon that ended: %v", err)
	}
}
