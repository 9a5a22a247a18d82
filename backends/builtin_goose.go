package backends

func goose() Definition {
	return Definition{
		Name:     "goose",
		Title:    "goose",
		Protocol: "acp",
		Program:  "goose",
		Args:     []string{"acp"},
		Env:      map[string]string{"GOOSE_MODE": "auto"},
		// The person's stored keys are in the desktop's keyring, reached by D-Bus.
		EnvPass:  passed("GOOSE_*", "CONTEXT_FILE_NAMES", "DBUS_SESSION_BUS_ADDRESS"),
		ModelEnv: "GOOSE_MODEL",
		Mode:     "auto",
		ModeEnv:  "GOOSE_MODE",
		// 120 MB for each process; session/new costs 0.1 s. Mode and directory are
		// the session's, the model is the process's.
		Shared: true,
		Package: Package{
			Name:    "@aaif/goose-binary-linux-x64",
			Version: "1.52.0",
			Bin:     "bin/goose",
			SizeMB:  287,
		},
		Quirks: Quirks{
			// goose 1.52.0 ends a turn whose model call failed with end_turn
			// and one of these as its last message: for the statuses 400, 404,
			// 429 and 5xx; for a server that is down; for an empty answer.
			ErrorText: []string{"Ran into this error", "Network error:", "The model returned an empty response."},
			Setup: []SetupHint{
				{
					Match: "Configuration value not found: GOOSE_PROVIDER",
					Msg:   "goose has no model provider: set GOOSE_PROVIDER and GOOSE_MODEL, with the provider's key, or configure goose once",
					Hint:  "goose configure",
				},
				{
					Match: "Provider not set", // GOOSE_PROVIDER is there, but empty
					Msg:   "goose has no model provider: set GOOSE_PROVIDER and GOOSE_MODEL, with the provider's key, or configure goose once",
					Hint:  "goose configure",
				},
				{
					Match: "Configuration value not found: GOOSE_MODEL",
					Msg:   "goose has no model: set GOOSE_MODEL, name one with --model, or configure goose once",
					Hint:  "export GOOSE_MODEL=NAME",
				},
				{
					Match: "Configuration value not found: ",
					Msg:   "goose's model provider lacks its configuration: set the variable that the message names, or configure goose once",
					Hint:  "goose configure",
				},
				{
					Match: "Authentication required",
					Msg:   "goose's model provider refuses the key it was given, or was given none",
					Hint:  "goose configure",
				},
			},
		},
	}
}
