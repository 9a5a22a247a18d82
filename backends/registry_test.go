package backends_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// stage is a registry whose launcher and protocol record what they are told.
type stage struct {
	launched []backends.Command
	opened   []backends.Definition
	launch   error // the launcher's failure
	open     error // the protocol's failure, after the launch
	closed   int
}

func (s *stage) Launch(_ context.Context, cmd backends.Command) (backends.Child, error) {
	s.launched = append(s.launched, cmd)
	if s.launch != nil {
		return nil, s.launch
	}
	return child{}, nil
}

func (s *stage) Boot(ctx context.Context, def backends.Definition, launch backends.Launch) (backends.Host, error) {
	s.opened = append(s.opened, def)
	if _, err := launch(ctx, nil); err != nil {
		return nil, err
	}
	if s.open != nil {
		return nil, s.open
	}
	return host{stage: s}, nil
}

// child is a process of which only the identity is asked.
type child struct{ backends.Child }

func (child) Identity() orchestrator.Process { return orchestrator.Process{PID: 7, Tag: "tag"} }

// host is an agent with a session that is only looked at and closed.
type host struct {
	backends.Host
	stage *stage
}

func (h host) Open(context.Context, orchestrator.SessionRequest) (backends.Session, error) {
	return session{}, nil
}

func (h host) Close(context.Context) error {
	h.stage.closed++
	return nil
}

type session struct{ backends.Session }

func (session) Info() orchestrator.SessionInfo {
	return orchestrator.SessionInfo{Version: "1.2.3", Protocol: "acp/1"}
}

func (s *stage) registry(t *testing.T, o backends.Options) *backends.Registry {
	t.Helper()
	r, err := s.build(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *stage) build(o backends.Options) (*backends.Registry, error) {
	o.Launcher, o.Protocols = s, map[string]backends.Protocol{"acp": s}
	return backends.New(o)
}

// program makes an executable file and returns its path.
func program(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAProgramIsLookedForInConfigurationThenPathThenBoosDirectory(t *testing.T) {
	dir := t.TempDir()
	onPath := program(t, dir, "bin", "goose")
	configured := program(t, dir, "own", "my-goose")
	installed := program(t, dir, "data", "agents", "goose", "1.52.0", "node_modules", "@aaif", "goose-binary-linux-x64", "bin", "goose")
	path := []string{"PATH=relative:/no/such:" + filepath.Dir(onPath)}
	custom := func(command ...string) map[orchestrator.AgentName]backends.Custom {
		return map[orchestrator.AgentName]backends.Custom{"goose": {Command: command}}
	}
	tests := map[string]struct {
		o    backends.Options
		want backends.Found
	}{
		"configuration first":     {backends.Options{Custom: custom(configured, "acp"), Environ: path, Data: filepath.Join(dir, "data")}, backends.Found{Path: configured, Source: backends.SourceConfig}},
		"configured name on PATH": {backends.Options{Custom: custom("goose"), Environ: path}, backends.Found{Path: onPath, Source: backends.SourceConfig}},
		"then PATH":               {backends.Options{Environ: path, Data: filepath.Join(dir, "data")}, backends.Found{Path: onPath, Source: backends.SourcePath}},
		"then boo's directory":    {backends.Options{Data: filepath.Join(dir, "data")}, backends.Found{Path: installed, Source: backends.SourceInstalled, Version: "1.52.0"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := new(stage).registry(t, test.o).Find("goose")
			if err != nil || found != test.want {
				t.Errorf("found %+v, %v; want %+v", found, err, test.want)
			}
		})
	}
	if def := backends.Builtin()[0]; def.InstalledProgram(filepath.Join(dir, "data")) != installed {
		t.Errorf("installed program = %s", def.InstalledProgram(filepath.Join(dir, "data")))
	}
}

func TestAConfiguredCommandThatIsNotThereIsNoReasonToTakeAnother(t *testing.T) {
	dir := t.TempDir()
	onPath := program(t, dir, "goose")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"/no/such/goose", "bin/goose", plain, dir} {
		r := new(stage).registry(t, backends.Options{
			Environ: []string{"PATH=" + filepath.Dir(onPath)},
			Custom:  map[orchestrator.AgentName]backends.Custom{"goose": {Command: []string{command}}},
		})
		if err := r.Check(t.Context(), "goose", nil); orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), command) {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestCheckSaysWhatMendsIt(t *testing.T) {
	r := new(stage).registry(t, backends.Options{
		Data:   t.TempDir(),
		Custom: map[orchestrator.AgentName]backends.Custom{"mine": {Command: []string{"/bin/sh"}}},
	})
	err := r.Check(t.Context(), "ghost", nil)
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound || !strings.Contains(err.Error(), "goose, mine") {
		t.Errorf("unknown: %v", err)
	}
	err = r.Check(t.Context(), "goose", nil)
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || orchestrator.HintOf(err) != "boo agents install goose" {
		t.Errorf("not installed: %v, hint %q", err, orchestrator.HintOf(err))
	}
	if err := r.Check(t.Context(), "mine", nil); err != nil {
		t.Errorf("there: %v", err)
	}
}

func TestAConfigurationThatMakesNoSenseIsRefused(t *testing.T) {
	tests := map[orchestrator.AgentName]backends.Custom{
		"no-command":    {},
		"empty-command": {Command: []string{""}},
		"nul":           {Command: []string{"a\x00b"}},
		"other-wire":    {Command: []string{"x"}, Protocol: "telepathy"},
		"own-variable":  {Command: []string{"x"}, Env: map[string]string{"BOO_RUN": "1"}},
		"own-pass":      {Command: []string{"x"}, EnvPass: []string{"BOO_*"}},
		"equals":        {Command: []string{"x"}, Env: map[string]string{"A=B": "1"}},
		"Bad Name":      {Command: []string{"x"}},
		"you":           {Command: []string{"x"}},
		"no-time":       {Command: []string{"x"}, StartTime: -time.Second},
	}
	for name, custom := range tests {
		_, err := new(stage).build(backends.Options{Custom: map[orchestrator.AgentName]backends.Custom{name: custom}})
		if orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAgentGetsTheTimeToStartThatItsTableSays(t *testing.T) {
	r := new(stage).registry(t, backends.Options{Custom: map[orchestrator.AgentName]backends.Custom{
		"mine":  {Command: []string{"x"}},
		"quick": {Command: []string{"x"}, StartTime: 5 * time.Second},
		"qwen":  {StartTime: time.Minute},
	}})
	for name, want := range map[orchestrator.AgentName]time.Duration{"mine": 30 * time.Second, "quick": 5 * time.Second, "qwen": time.Minute} {
		if def, err := r.Definition(name); err != nil || def.Quirks.StartTime != want {
			t.Errorf("%s gets %v, %v; want %v", name, def.Quirks.StartTime, err, want)
		}
	}
}

func TestStartTellsOfTheProcessBeforeItReturns(t *testing.T) {
	s := &stage{}
	r := s.registry(t, backends.Options{Custom: map[orchestrator.AgentName]backends.Custom{"mine": {Command: []string{"/bin/sh", "-c", "true"}}}})
	var told []orchestrator.Process
	_, err := r.Start(t.Context(), orchestrator.SessionRequest{
		Chat: "c1", Turn: "t1", Agent: "mine", Dir: "/",
		Started: func(p orchestrator.Process) { told = append(told, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := orchestrator.Process{PID: 7, Tag: "tag", Chat: "c1", Turn: "t1", Agent: "mine"}
	if !slices.Equal(told, []orchestrator.Process{want}) {
		t.Errorf("told %+v", told)
	}
	cmd := s.launched[0]
	if cmd.Path != "/bin/sh" || !slices.Equal(cmd.Args, []string{"-c", "true"}) || cmd.Dir != "/" {
		t.Errorf("launched %+v", cmd)
	}
}

func TestALaunchThatFailsIsTheAgentsFailure(t *testing.T) {
	custom := map[orchestrator.AgentName]backends.Custom{"mine": {Command: []string{"/bin/sh"}}}
	s := &stage{launch: errors.New("exec format error")}
	_, err := s.registry(t, backends.Options{Custom: custom}).Start(t.Context(), orchestrator.SessionRequest{Agent: "mine", Dir: "/"})
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "exec format error") {
		t.Errorf("err = %v", err)
	}
	s.launch = orchestrator.Errorf(orchestrator.CodeDenied, "not allowed")
	_, err = s.registry(t, backends.Options{Custom: custom}).Start(t.Context(), orchestrator.SessionRequest{Agent: "mine", Dir: "/"})
	if orchestrator.CodeOf(err) != orchestrator.CodeDenied {
		t.Errorf("err = %v", err)
	}
}

func TestDoctorReportsHowFarTheAgentCame(t *testing.T) {
	info := orchestrator.SessionInfo{Version: "1.2.3", Protocol: "acp/1"}
	refusal := orchestrator.Errorf(orchestrator.CodeAgent, "no provider").WithHint("goose configure")
	tests := map[string]struct {
		agent orchestrator.AgentName
		stage stage
		want  backends.Report
	}{
		"ready":         {"mine", stage{}, backends.Report{Version: "1.2.3", Protocol: "acp/1", Ready: true}},
		"no session":    {"mine", stage{open: &backends.OpenError{Info: info, Err: refusal}}, backends.Report{Version: "1.2.3", Protocol: "acp/1", Problem: "no provider", Hint: "goose configure", Code: "agent"}},
		"no handshake":  {"mine", stage{open: refusal}, backends.Report{Problem: "no provider", Hint: "goose configure", Code: "agent"}},
		"see a doctor":  {"mine", stage{launch: errors.New("exec format error")}, backends.Report{Problem: "start agent mine (/bin/sh): exec format error", Code: "agent"}},
		"not installed": {"goose", stage{}, backends.Report{Problem: "agent goose is not installed: there is no goose on PATH and none in boo's own directory", Hint: "boo agents install goose", Code: "agent"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := test.stage.registry(t, backends.Options{Custom: map[orchestrator.AgentName]backends.Custom{"mine": {Command: []string{"/bin/sh"}}}})
			got, err := r.Doctor(t.Context(), test.agent, false)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Found != nil) != (test.agent == "mine") {
				t.Errorf("found = %+v", got.Found)
			}
			if test.want.Ready && test.stage.closed != 1 {
				t.Error("the session was left open")
			}
			for _, cmd := range test.stage.launched {
				if _, err := os.Stat(cmd.Dir); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s was left behind: %v", cmd.Dir, err)
				}
			}
			if got.Version != test.want.Version || got.Protocol != test.want.Protocol || got.Ready != test.want.Ready ||
				got.Problem != test.want.Problem || got.Hint != test.want.Hint || got.Code != test.want.Code {
				t.Errorf("report = %+v\nwant %+v", got, test.want)
			}
		})
	}
	_, err := new(stage).registry(t, backends.Options{}).Doctor(t.Context(), "ghost", false)
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("unknown agent: %v", err)
	}
}

func TestADirectoryThatIsNotThereIsRefusedBeforeAnythingStarts(t *testing.T) {
	s := &stage{}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := s.registry(t, backends.Options{Custom: map[orchestrator.AgentName]backends.Custom{"mine": {Command: []string{self}}}})
	for _, dir := range []orchestrator.WorktreeDir{"", "relative", "/no/such/dir", "/dev/null"} {
		_, err := r.Start(t.Context(), orchestrator.SessionRequest{Agent: "mine", Dir: dir})
		if orchestrator.CodeOf(err) != orchestrator.CodeInvalid || len(s.launched) > 0 {
			t.Errorf("%q: %v, started %v", dir, err, s.launched)
		}
	}
}
