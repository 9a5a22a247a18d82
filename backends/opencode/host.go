package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// pace is how long the server is waited for where it says nothing.
type pace struct {
	fence time.Duration // for it to show that it has a prompt
	late  time.Duration // for it to begin with a prompt that was aborted before it had
	still time.Duration // idle with an incomplete answer, before that is taken as it stands
	calm  time.Duration // for an abort to be over, before a server without other work is ended
	stall time.Duration // for a byte on the stream, where a heartbeat comes every 10 s
	retry time.Duration // before the stream is tried again; longer each time
}

var usual = pace{fence: 30 * time.Second, late: 3 * time.Second, still: 10 * time.Second, calm: 10 * time.Second, stall: 30 * time.Second, retry: 250 * time.Millisecond}

const (
	termGrace = 5 * time.Second
	// tailBytes bounds what an error repeats of what the server printed.
	tailBytes = 4 << 10
)

// abilities is what the server can, in the words of the protocol that has words
// for it.
var abilities = json.RawMessage(`{"loadSession":true,"sessionCapabilities":{"resume":{},"list":{},"close":{},"delete":{}}}`)

// Host is one server. It implements backends.Host.
type Host struct {
	def     backends.Definition
	child   backends.Child
	banner  *banner
	api     *api   // set before Boot returns
	version string // likewise

	life    context.Context // ends with the server's use
	end     context.CancelFunc
	tasks   sync.WaitGroup
	ordered atomic.Bool // its end is boo's doing
	counts  counts
	pace    pace

	door    sync.Mutex // of whether turns may begin; taken before all others
	retired bool       // the server is being ended

	mu       sync.Mutex
	live     chan struct{} // closed while the stream is live, and replaced when it is lost
	sessions map[string]*Session
	kin      map[string]*Session // sessions that agents opened below one of boo's
	hung     string              // why the server was given up
	over     bool                // no task begins any more
}

var _ backends.Host = (*Host)(nil)

// counts is what came on the stream beside the events of turns.
type counts struct {
	Unknown, Foreign, Stale atomic.Int64
}

func newHost(def backends.Definition, child backends.Child) *Host {
	h := &Host{
		def: def, child: child, banner: &banner{ready: make(chan string, 1)}, pace: usual,
		live: make(chan struct{}), sessions: map[string]*Session{}, kin: map[string]*Session{},
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// Open brings back the session that req names, or makes a new one. An error is
// a *backends.OpenError; the server lives on.
func (h *Host) Open(ctx context.Context, req orchestrator.SessionRequest) (backends.Session, error) {
	info := orchestrator.SessionInfo{Version: h.version, Protocol: "opencode/1", Caps: abilities, Rung: orchestrator.RungNew}
	model, err := parseModel(req.Model)
	if err != nil {
		return nil, err
	}
	s := &Session{host: h, dir: string(req.Dir), model: model, mode: req.Mode}
	if s.mode == "" {
		s.mode = h.def.Mode
	}
	s.Serve(req)
	known, err := h.known(ctx, req)
	if err != nil {
		return nil, &backends.OpenError{Info: info, Err: h.explain("bring its session back", err)}
	}
	s.id = req.NativeID
	if known {
		info.Rung = orchestrator.RungResumed
	} else {
		made, err := h.api.create(ctx, s.dir)
		if err != nil {
			return nil, &backends.OpenError{Info: info, Err: h.explain("open a session", err)}
		}
		s.id = made.ID
	}
	info.NativeID = s.id
	s.info = info
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s.id] = s
	return s, nil
}

// known reports whether the server has the session, for that directory, and
// with messages where it should have some.
func (h *Host) known(ctx context.Context, req orchestrator.SessionRequest) (bool, error) {
	if !strings.HasPrefix(req.NativeID, "ses") {
		return false, nil
	}
	info, err := h.api.session(ctx, string(req.Dir), req.NativeID)
	if isUnknown(err) {
		return false, nil
	}
	if err != nil || info.Directory != string(req.Dir) {
		return false, err
	}
	if !req.Had {
		return true, nil
	}
	some, err := h.api.messages(ctx, string(req.Dir), req.NativeID, 1)
	return len(some) > 0, err
}

// Resumes is true: sessions are in a store that outlives the server.
func (h *Host) Resumes() bool { return true }

// Shares is true: one server holds any number of sessions.
func (h *Host) Shares() bool { return true }

// Done is closed when the server's process tree is gone.
func (h *Host) Done() <-chan struct{} { return h.child.Done() }

// Failure tells after Done how the server came to end; nil if boo ended it.
func (h *Host) Failure(context.Context) error {
	if h.ordered.Load() {
		return nil
	}
	return h.obituary()
}

// obituary is the error of a server that broke off.
func (h *Host) obituary() error {
	h.mu.Lock()
	how := h.hung
	h.mu.Unlock()
	if how == "" {
		how = h.child.Exit().String()
	}
	return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s: %w (%s)%s", h.def.Name, orchestrator.ErrAgentDied, how, h.said()).
		WithHint("boo agents doctor %s", h.def.Name)
}

// said returns what the server last printed, to stand at the end of an error.
func (h *Host) said() string {
	text := strings.TrimSpace(strings.ToValidUTF8(h.child.Stderr()+"\n"+h.banner.String(), "\uFFFD"))
	if over := len(text) - tailBytes; over > 0 {
		text = strings.ToValidUTF8(text[over:], "")
	}
	if text == "" {
		return ""
	}
	return "; it last printed: " + text
}

// Close ends the server's process tree; prompts in flight return as cancelled.
// It may be called twice.
func (h *Host) Close(ctx context.Context) error {
	h.ordered.Store(true)
	return h.finish(ctx)
}

func (h *Host) finish(ctx context.Context) error {
	err := h.child.End(ctx, termGrace)
	if err != nil {
		return fmt.Errorf("end the server of agent %s: %w", h.def.Name, err)
	}
	h.end()
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.tasks.Wait()
	if h.api != nil {
		h.api.http.CloseIdleConnections()
	}
	return nil
}

// task runs f in a goroutine that Close waits for; once that is under way, f
// is not run.
func (h *Host) task(f func()) (begun bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.tasks.Go(f)
	}
	return !h.over
}

// find returns the session that an event is about: own is false for one that
// an agent opened below it.
func (h *Host) find(id string) (s *Session, own bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return s, true
	}
	return h.kin[id], false
}

// adopt notes a session that an agent opened below one of boo's: what it asks
// is asked in that one's turn.
func (h *Host) adopt(id, parent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[parent]
	if s == nil {
		s = h.kin[parent]
	}
	if s != nil {
		h.kin[id] = s
	}
}

func (h *Host) drop(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[s.id] == s {
		delete(h.sessions, s.id)
	}
	for id, of := range h.kin {
		if of == s {
			delete(h.kin, id)
		}
	}
}

// all returns the sessions that are open.
func (h *Host) all() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*Session, 0, len(h.sessions))
	for _, s := range h.sessions {
		all = append(all, s)
	}
	return all
}

// working reports whether a turn of another session than but is in flight.
func (h *Host) working(but *Session) bool {
	for _, s := range h.all() {
		if s != but && s.current() != nil {
			return true
		}
	}
	return false
}

// explain turns the failure of a step into the error that a person sees.
func (h *Host) explain(step string, err error) error {
	if refused, ok := err.(*refusal); ok {
		return h.failed(step, refused.Error())
	}
	select {
	case <-h.child.Done():
		return h.obituary()
	default:
	}
	return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s could not %s: %w", h.def.Name, step, err).
		WithHint("boo agents doctor %s", h.def.Name)
}

// failed is the error of something that the server itself refused, with advice
// where the definition has some.
func (h *Host) failed(step, text string) error {
	for _, setup := range h.def.Quirks.Setup {
		if strings.Contains(text, setup.Match) {
			return orchestrator.Errorf(orchestrator.CodeAgent, "%s (it said: %s)", setup.Msg, text).WithHint("%s", setup.Hint)
		}
	}
	return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s could not %s: %s", h.def.Name, step, text).
		WithHint("boo agents doctor %s", h.def.Name)
}

// parseModel splits "provider/model".
func parseModel(name string) (*modelName, error) {
	if name == "" {
		return nil, nil
	}
	provider, model, ok := strings.Cut(name, "/")
	if !ok || provider == "" || model == "" {
		return nil, orchestrator.Errorf(orchestrator.CodeInvalid, "the model %q does not name its provider; nothing was sent", name).
			WithHint("boo chat send --model PROVIDER/MODEL …")
	}
	return &modelName{Provider: provider, Model: model}, nil
}
