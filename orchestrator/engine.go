package orchestrator

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"
)

// Config is what an [Engine] is made of. All fields are needed but Policy, Spares,
// MinFree, Watched, and those of which it is said what nil stands for.
type Config struct {
	Store     Store
	Trees     Trees
	Agents    Agents
	Pending   Pending
	Locks     Locks
	Processes Processes
	Projects  Projects // nil where no project file is to be read
	Commands  Commands // nil likewise
	Archives  Archives // nil where nothing is archived
	Reaper    Reaper   // nil where nothing is swept
	// Worktrees is the directory that the chats' worktrees are made in.
	Worktrees string
	Logs      SessionLogs // nil where none are kept
	// Histories is the directory for what is too long to be told to an agent in
	// its prompt; "" if there is none.
	Histories string
	// Agent takes the turns of a new chat when the request names none.
	Agent AgentName
	// Spares is how many worktrees are kept ready per repository that is in use.
	Spares int
	// Free tells how many bytes a person's program may still write to the disk of
	// a directory, which need not be there; nil where nobody wants to know.
	Free func(dir string) (int64, error)
	// MinFree is how many of them there have to be for a worktree to be made.
	MinFree int64
	// Watched is how many worktrees stay watched between turns.
	Watched int
	// Policy is what the person has laid down about turns.
	Policy Policy
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// Engine carries out the use cases in this process. Each turn has a goroutine
// of its own, which owns its chat while it holds the chat's lock; Close waits
// for all of them.
type Engine struct {
	Config
	life    context.Context
	end     context.CancelFunc
	watches watches
	turns   sync.WaitGroup

	keeper *logKeeper // nil where session logs are not kept up

	mu          sync.Mutex
	live        map[TurnID]*liveTurn
	permissions map[PermissionID]*openRequest
	changed     map[ChatID]chan struct{} // closed when the chat has new events
	tidied      map[GitDir]time.Time     // when what boo stores there was last looked after
	sparing     map[RepoID]sparing       // repositories whose spares are looked after now
	following   map[RepoID]*follower     // those of the repositories; nil where HEAD is not followed
	followed    int64                    // how many there were
	headRest    time.Duration            // what FollowHeads was told; set before anything is followed
	weighing    map[ChatID]bool          // chats that are measured now; true: and again after that
	scale       chan struct{}            // held by the one that measures
	closed      bool
	idle        chan struct{} // closed when no turn is live; nil when nobody waits for that
	atRest      func()        // called when no turn is live any more; may be nil
}

var _ Service = (*Engine)(nil)

// NewEngine returns an engine. It owns the store from then on.
func NewEngine(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Projects == nil {
		c.Projects = noProjects{}
	}
	if c.Archives == nil {
		c.Archives = noArchives{}
	}
	if c.Reaper == nil {
		c.Reaper = noReaper{}
	}
	e := &Engine{
		Config:      c,
		live:        map[TurnID]*liveTurn{},
		permissions: map[PermissionID]*openRequest{},
		changed:     map[ChatID]chan struct{}{},
		tidied:      map[GitDir]time.Time{},
		sparing:     map[RepoID]sparing{},
		weighing:    map[ChatID]bool{},
		scale:       make(chan struct{}, 1),
	}
	e.life, e.end = context.WithCancel(context.Background())
	return e
}

// Close ends the turns that still run, as interrupted, waits for them, has warm
// sessions closed, and closes the store.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end()
	e.turns.Wait()
	e.watches.close()
	e.keeper.close()
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	return errors.Join(e.Agents.Close(ctx), e.Store.Close())
}

// announce wakes those who follow a chat.
func (e *Engine) announce(chat ChatID) {
	e.keeper.mark(chat)
	e.mu.Lock()
	defer e.mu.Unlock()
	if ch, ok := e.changed[chat]; ok {
		close(ch)
		delete(e.changed, chat)
	}
}

// news returns a channel that is closed at the next announcement.
func (e *Engine) news(chat ChatID) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	ch, ok := e.changed[chat]
	if !ok {
		ch = make(chan struct{})
		e.changed[chat] = ch
	}
	return ch
}

func (e *Engine) liveTurn(id TurnID) *liveTurn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[id]
}

// busyIn reports whether a turn of this engine's is at work in a chat, be it only
// with what comes after the answer.
func (e *Engine) busyIn(chat ChatID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, lt := range e.live {
		if lt.turn.Chat == chat {
			return true
		}
	}
	return false
}

func (e *Engine) worktreeDir(repo RepoID, chat ChatID) WorktreeDir {
	return WorktreeDir(filepath.Join(e.Worktrees, string(repo), string(chat)))
}

// ChatLock names the lock of a chat. Who holds it takes the chat's turns and
// writes in its worktree.
func ChatLock(chat ChatID) string { return "chat-" + string(chat) }
