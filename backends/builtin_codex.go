package backends

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
		Package: Package{
			Name:    "@agentclientprotocol/codex-acp",
			Version: "2.6.0",
			Bin:     "dist/index.js",
			Node:    20,
			SizeMB:  457,
		},
		Quirks: Quirks{
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
