package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// Protocol brings up agents that speak ACP. It implements
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
		Delete *struct{} `json:"delete"`
	} `json:"sessionCapabilities"`
}

// Boot starts the agent by calling launch and shakes hands. On error the child
// has been ended.
func (p Protocol) Boot(ctx context.Context, def backends.Definition, launch backends.Launch) (backends.Host, error) {
	child, err := launch(ctx, nil)
	if err != nil {
		return nil, err
	}
	h := &Host{agent: &agent{def: def, child: child}, door: make(chan struct{}, 1), sessions: map[string]*Session{}}
	h.conn = newConn(child, h)
	h.conn.start()
	if h.intro, err = p.initialize(ctx, h.agent); err != nil {
		_ = h.Close(context.WithoutCancel(ctx)) // the error that led here says more
		return nil, err
	}
	return h, nil
}

// initialize shakes hands. boo offers neither files nor terminals: with some
// agents the offer breaks their own tools.
func (p Protocol) initialize(ctx context.Context, a *agent) (introduction, error) {
	var intro introduction
	version := p.Version
	if version == "" {
		version = "0"
	}
	raw, err := a.conn.call(ctx, methodInitialize, sdk.InitializeRequest{
		ProtocolVersion: protocolVersion,
		ClientInfo:      &sdk.Implementation{Name: "boo", Version: version},
	}, limits{total: cmp.Or(a.def.Quirks.StartTime, initializeTime)})
	if err != nil {
		return intro, a.explain("answer initialize", err)
	}
	if err := json.Unmarshal(raw, &intro); err != nil {
		return intro, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s answers initialize in a form that boo does not know: %w", a.def.Name, err)
	}
	if intro.Version != protocolVersion {
		e := orchestrator.Errorf(orchestrator.CodeAgent, "agent %s speaks version %d of its protocol, boo speaks version %d", a.def.Name, intro.Version, protocolVersion)
		if a.def.Package.Name != "" {
			e = e.WithHint("boo agents install %s", a.def.Name)
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
