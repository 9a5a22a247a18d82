package acp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

// configure sets mode and model of the session where they are not as wanted:
// agents start in modes of their own, and a session brought back keeps the
// model it had.
func (s *Session) configure(ctx context.Context, result sessionResult, req orchestrator.SessionRequest) error {
	settings := options(result.Options)
	if err := s.setMode(ctx, result, settings, req.Mode); err != nil {
		return err
	}
	return s.setModel(ctx, result, settings, req.Model)
}

// setMode sets the mode that is asked for, which has to be one that the agent
// offers, or else the definition's, if the agent offers that.
func (s *Session) setMode(ctx context.Context, result sessionResult, settings []option, asked string) error {
	mode := asked
	if mode == "" {
		mode = s.def.Mode
	}
	setting, hasSetting := pick(settings, "mode")
	current, offered := "", []string(nil)
	switch {
	case mode == "":
		return nil
	case result.Modes != nil:
		current = result.Modes.Current
		for _, m := range result.Modes.Available {
			offered = append(offered, m.ID)
		}
	case hasSetting:
		current = setting.Current
		for _, c := range setting.choices() {
			offered = append(offered, c.Value)
		}
	}
	switch {
	case !slices.Contains(offered, mode):
		return s.noMode(asked, offered, result.Modes != nil || hasSetting)
	case current == mode:
		return nil
	case result.Modes != nil:
		return s.set(ctx, "set its mode to "+mode, methodSetMode,
			sdk.SetSessionModeRequest{SessionId: sdk.SessionId(s.id), ModeId: sdk.SessionModeId(mode)})
	}
	return s.setOption(ctx, "set its mode to "+mode, setting.ID, mode)
}

// noMode is the error of a mode that a person asked for in vain; the
// definition's own may be missing. known says that the agent told its modes:
// one brought back may tell none.
func (s *Session) noMode(asked string, offered []string, known bool) error {
	switch {
	case asked == "" || asked == s.def.Mode && !known:
		return nil
	case len(offered) == 0:
		return orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s cannot be told which mode to work in", s.def.Name)
	}
	return orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s has no mode %q; it has: %s", s.def.Name, asked, strings.Join(offered, ", "))
}

func (s *Session) setModel(ctx context.Context, result sessionResult, settings []option, model string) error {
	if model == "" {
		return nil
	}
	setting, ok := pick(settings, "model")
	switch {
	case ok && setting.Current != setting.named(model):
		// Not only what is listed: goose takes names that its list lacks.
		return s.setOption(ctx, "set its model to "+model, setting.ID, setting.named(model))
	case ok || s.def.ModelEnv != "":
		return nil
	case result.Models == nil:
		return orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s cannot be told which model to use", s.def.Name)
	}
	for _, m := range result.Models.Available {
		if m.Name == model {
			model = m.ID
		}
	}
	if result.Models.Current == model {
		return nil
	}
	return s.set(ctx, "set its model to "+model, methodSetModel, modelChoice{Session: s.id, Model: model})
}

// modelChoice is the request of session/set_model, which agents had before
// settings, and some still have.
type modelChoice struct {
	Session string `json:"sessionId"`
	Model   string `json:"modelId"`
}

func (s *Session) setOption(ctx context.Context, step, id, value string) error {
	return s.set(ctx, step, methodSetOption, sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: sdk.SessionId(s.id), ConfigId: sdk.SessionConfigId(id), Value: sdk.SessionConfigValueId(value),
	}})
}

func (s *Session) set(ctx context.Context, step, method string, params any) error {
	if _, err := s.conn.call(ctx, method, params, limits{total: settingTime}); err != nil {
		return s.explain(step, err)
	}
	return nil
}
