package backends

import "time"

func codex() Definition {
	return Definition{
		Name:     "codex",
		Title:    "Codex",
		Protocol: "acp",
		Program:  "codex-acp",
		// A provider of config.toml names the variable of its key (env_key); any
		// other than these goes to env_pass in boo's configuration.
		EnvPass: passed("CODEX_*", "MODEL_PROVIDER"),
		Mode:    "agent",
		// Not shared, although that would save 270 MB for each session: a process
		// goes on writing to a session that was closed in it, and codex lets no
		// other one resume it. So a chat would wait for the turns of another.
		Package: Package{
			Name:    "@agentclientprotocol/codex-acp",
			Version: "2.6.0",
			Bin:     "dist/index.js",
			Node:    20,
			SizeMB:  457,
		},
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// codex-acp 2.6.0 ends a turn whose model call failed with end_turn
			// and one of these as its last message: for 400; for 500; for 429; for
			// a server that is down or breaks off. Only 401 is an error.
			ErrorText: []string{
				`{"error":{`, "We’re currently experiencing high demand", "We're currently experiencing high demand",
				"exceeded retry limit", "stream disconnected before completion", "unexpected status",
			},
			// It begins every turn so with a model that it has no entry for.
			Asides: []string{"Warning: Model metadata for "},
			Setup: []SetupHint{
				{
					Match: "Authentication required",
					Msg:   "codex is not logged in: set OPENAI_API_KEY or CODEX_API_KEY, or log in once",
					Hint:  "codex login",
				},
			},
		},
	}
}
