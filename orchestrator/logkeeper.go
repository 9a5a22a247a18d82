package orchestrator

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// SessionLogs keeps a file per chat with all that happened in it. Package
// sessionlog implements it. A chat's file has one writer at a time.
type SessionLogs interface {
	// Append writes what a chat's file lacks. The log begins after the event
	// cleared. Values of environ that look like secrets are left out.
	Append(chat ChatID, cleared Seq, environ []string, next NextEvents) error
	// Rebuild writes all of it anew.
	Rebuild(chat ChatID, cleared Seq, environ []string, next NextEvents) error
	// Path is where a chat's newest file is.
	Path(chat ChatID) string
}

// NextEvents returns the next events of a chat after a number; none after the
// last.
type NextEvents func(after Seq) ([]Event, error)

// logKeeper has what happens in the chats of this process written to their
// session logs, by one goroutine, logRest after they happened: a turn never waits
// for it, and has the processors for itself where it begins and ends. It reads from
// the store what a file lacks, so nothing is lost with it, or with what it could
// not write.
type logKeeper struct {
	e    *Engine
	wake chan struct{}
	end  chan struct{}
	over sync.Once // an engine may be closed twice
	done chan struct{}

	mu      sync.Mutex
	dirty   map[ChatID]bool
	environ map[ChatID][]string // of the person who sent the newest prompt
}

// KeepLogs begins to keep session logs, until Close. It is called before the
// engine is used.
func (e *Engine) KeepLogs() {
	if e.Logs == nil {
		return
	}
	k := &logKeeper{
		e: e, wake: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{}),
		dirty: map[ChatID]bool{}, environ: map[ChatID][]string{},
	}
	e.keeper = k
	go k.run() // ended and waited for by close
}

// mark says that a chat has new events. A keeper that is nil keeps nothing.
func (k *logKeeper) mark(chat ChatID) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.dirty[chat] = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// learn takes in what a chat's agent is given, and must not be written.
func (k *logKeeper) learn(chat ChatID, environ []string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.environ[chat] = environ
}

// close writes what is left, and ends the keeping.
func (k *logKeeper) close() {
	if k == nil {
		return
	}
	k.over.Do(func() { close(k.end) })
	<-k.done
}

// logRest is how far a log may be behind.
const logRest = 200 * time.Millisecond

func (k *logKeeper) run() {
	defer close(k.done)
	defer k.write()
	for {
		select {
		case <-k.wake:
		case <-k.end:
			return
		}
		rest := time.NewTimer(logRest)
		select {
		case <-rest.C:
			k.write()
		case <-k.end:
			rest.Stop()
			return
		}
	}
}

func (k *logKeeper) write() {
	k.mu.Lock()
	chats := slices.Collect(maps.Keys(k.dirty))
	clear(k.dirty)
	k.mu.Unlock()
	for _, chat := range chats {
		k.mu.Lock()
		environ := k.environ[chat]
		k.mu.Unlock()
		// What could not be written is, with what comes next, or by a rebuild.
		_ = k.e.writeLog(chat, environ, SessionLogs.Append)
	}
}

// writeLog has one of the ways of writing a chat's session log carried out.
func (e *Engine) writeLog(chat ChatID, environ []string, how func(SessionLogs, ChatID, Seq, []string, NextEvents) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	release, err := e.Locks.Lock(ctx, "sessionlog-"+string(chat), func() {})
	if err != nil {
		return err
	}
	defer release()
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return err
	}
	return how(e.Logs, chat, c.LogAfter, environ, func(after Seq) ([]Event, error) {
		return e.Store.Events(ctx, chat, "", after, followBatch)
	})
}

// RebuildLog makes a chat's session log anew; see [Service.RebuildLog].
func (e *Engine) RebuildLog(ctx context.Context, ref ChatRef, environ []string) (string, error) {
	if e.Logs == nil {
		return "", Errorf(CodeInvalid, "no session logs are kept: the configuration says session_log = false")
	}
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	if err := e.writeLog(chat.ID, environ, SessionLogs.Rebuild); err != nil {
		return "", Errorf(CodeOf(err), "make the session log of chat %s: %w", chat.ID, err)
	}
	return e.Logs.Path(chat.ID), nil
}
