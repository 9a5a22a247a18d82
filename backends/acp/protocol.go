package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"boo/backends"
	"boo/orchestrator"
)

// The deadlines of opening a session.
const (
	initializeTime = 10 * time.Second
	newTime        = 60 * time.Second
	loadStall      = 30 * time.Second // without a byte: how long a load takes depends on what it replays
	settingTime    = 10 * time.Second
)

// protocolVersion is the version of the protocol that is spoken here.
const protocolVersion = 1

// Protocol opens sessions with agents that speak ACP. It implements
// backends.Protocol; the zero value is ready.
type Protocol struct {
	// Version is boo's own, as it is told to agents.
	Version string
}

var _ backends.Protocol = Protocol{}

// introduction is the agent's answer to initialize.
type introduction struct {
	Version int             `json:"protocolVersion"`
	Caps    json.RawMessage `json:"agentCapabilities"`
	Info    struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Auth []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"authMethods"`
	can capabilities
}

// capabilities are what the agent advertises, as far as it decides something.
type capabilities struct {
	Load    bool `json:"loadSession"`
	Session struct {
		Resume *struct{} `json:"resume"`
		List   *struct{} `json:"list"`
		Close  *struct{} `json:"close"`
	} `json:"sessionCapabilities"`
}

// Open starts the agent by calling launch and brings the session about. Once
// the agent has introduced itself, an error is a *backends.OpenError. On error
// the child has been ended.
func (p Protocol) Open(ctx context.Context, def backends.Definition, launch func(context.Context) (backends.Child, error), req orchestrator.SessionRequest) (orchestrator.AgentSession, error) {
	// Agents differ widely in what they make of a directory that is not there.
	if info, err := os.Stat(string(req.Dir)); !filepath.IsAbs(string(req.Dir)) || err != nil || !info.IsDir() {
		return nil, orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s cannot work in %q: not an absolute path of a directory", def.Name, req.Dir)
	}
	child, err := launch(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{def: def, child: child, permit: req.Permit, pending: map[string]*permission{}}
	s.conn = newConn(child, s)
	s.conn.start()
	if err := p.open(ctx, s, req); err != nil {
		// The error that led here says more than one of the end.
		_ = s.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return s, nil
}

func (p Protocol) open(ctx context.Context, s *Session, req orchestrator.SessionRequest) error {
	intro, err := p.initialize(ctx, s)
	if err != nil {
		return err
	}
	s.info = orchestrator.SessionInfo{Version: cut(intro.Info.Version, 100), Protocol: "acp/1", Caps: intro.Caps}
	s.closes = intro.can.Session.Close != nil
	told := s.info
	result, err := s.establish(ctx, intro, req)
	if err == nil {
		err = s.configure(ctx, result, req)
	}
	if err != nil {
		return &backends.OpenError{Info: told, Err: err}
	}
	s.info.NativeID = s.id
	if s.info.Rung == orchestrator.RungResumed {
		s.info.Replayed = s.Stats().Replayed
	}
	return nil
}

// initialize shakes hands. boo offers neither files nor terminals: with some
// agents the offer breaks their own tools.
func (p Protocol) initialize(ctx context.Context, s *Session) (introduction, error) {
	var intro introduction
	version := p.Version
	if version == "" {
		version = "0"
	}
	raw, err := s.conn.call(ctx, methodInitialize, sdk.InitializeRequest{
		ProtocolVersion: protocolVersion,
		ClientInfo:      &sdk.Implementation{Name: "boo", Version: version},
	}, limits{total: cmp.Or(s.def.Quirks.StartTime, initializeTime)})
	if err != nil {
		return intro, s.explain("answer initialize", err)
	}
	if err := json.Unmarshal(raw, &intro); err != nil {
		return intro, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s answers initialize in a form that boo does not know: %w", s.def.Name, err)
	}
	if intro.Version != protocolVersion {
		e := orchestrator.Errorf(orchestrator.CodeAgent, "agent %s speaks version %d of its protocol, boo speaks version %d", s.def.Name, intro.Version, protocolVersion)
		if s.def.Package.Name != "" {
			e = e.WithHint("boo agents install %s", s.def.Name)
		}
		return intro, e
	}
	_ = json.Unmarshal(intro.Caps, &intro.can) // what is advertised in another form is not advertised
	return intro, nil
}

// loginNeeded adds to a refusal for want of a login how the agent says that
// one is made.
func (intro introduction) loginNeeded(err error) error {
	refusal, ok := errors.AsType[*rpcError](err)
	if !ok || refusal.Code != codeAuthRequired {
		return err
	}
	var ways []string
	for _, method := range intro.Auth {
		ways = append(ways, strings.TrimSpace(method.Name+" "+method.Description))
	}
	if ways == nil {
		return err
	}
	return &rpcError{Code: refusal.Code, Message: refusal.Error() + "; ways to log in: " + strings.Join(ways, "; ")}
}
