package acp

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

// configure sets mode and model of the session where they are not as wanted:
// agents start in modes of their own, and a session brought back keeps the
// model it had.
func (s *Session) configure(ctx context.Context, result sessionResult, model string) error {
	settings := options(result.Options)
	if err := s.setMode(ctx, result, settings); err != nil {
		return err
	}
	return s.setModel(ctx, settings, model)
}

func (s *Session) setMode(ctx context.Context, result sessionResult, settings []option) error {
	mode := s.def.Mode
	if mode == "" {
		return nil
	}
	if result.Modes != nil {
		for _, offered := range result.Modes.Available {
			if offered.ID == mode && result.Modes.Current != mode {
				return s.set(ctx, "set its mode to "+mode, methodSetMode,
					sdk.SetSessionModeRequest{SessionId: sdk.SessionId(s.id), ModeId: sdk.SessionModeId(mode)})
			}
		}
		return nil
	}
	if setting, ok := pick(settings, "mode"); ok && setting.Current != mode && setting.offers(mode) {
		return s.setOption(ctx, "set its mode to "+mode, setting.ID, mode)
	}
	return nil
}

func (s *Session) setModel(ctx context.Context, settings []option, model string) error {
	if model == "" {
		return nil
	}
	setting, ok := pick(settings, "model")
	switch {
	case ok && setting.Current != model:
		// Not only what is listed: goose takes names that its list lacks.
		return s.setOption(ctx, "set its model to "+model, setting.ID, model)
	case !ok && s.def.ModelEnv == "":
		return orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s cannot be told which model to use", s.def.Name)
	}
	return nil
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
