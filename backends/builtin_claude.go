package backends

import "time"

func claude() Definition {
	return Definition{
		Name:     "claude",
		Title:    "Claude Code",
		Protocol: "acp",
		Program:  "claude-agent-acp",
		// What is installed is pinned.
		Env: map[string]string{"DISABLE_AUTOUPDATER": "1"},
		// One by one: CLAUDE_CODE_* also holds what ties a process to the
		// session that started it, should boo run inside of one.
		EnvPass: []string{
			"ANTHROPIC_*", "AWS_*", "GOOGLE_*", "GCLOUD_*", "CLOUD_ML_REGION", "VERTEX_*",
			"CLAUDE_CONFIG_DIR", "CLAUDE_MODEL_CONFIG", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_API_*", "CLAUDE_CODE_USE_*",
			"CLAUDE_CODE_SKIP_*", "CLAUDE_CODE_MAX_*", "CLAUDE_CODE_DISABLE_*", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_THINKING_DISPLAY",
			"MAX_THINKING_TOKENS", "API_TIMEOUT_MS",
			// With any other value the adapter asks claude for what claude then
			// refuses to root, and no session begins.
			"IS_SANDBOX=1",
			"DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_PROMPT_CACHING*", "DBUS_SESSION_BUS_ADDRESS",
		},
		ModelEnv: "ANTHROPIC_MODEL",
		Mode:     "acceptEdits",
		// Not shared: the adapter starts a claude of 190 MB for each session, so
		// that a common process would save little and lose all at once.
		Package: Package{
			Name:    "@agentclientprotocol/claude-agent-acp",
			Version: "0.100.0",
			Bin:     "dist/index.js",
			Node:    22,
			SizeMB:  391,
		},
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// The adapter starts another claude for it, which knows of no costs.
			CostAnew: true,
			Setup: []SetupHint{
				{
					Match: "Authentication required",
					Msg:   "claude is not logged in: set ANTHROPIC_API_KEY, or log in once with Claude Code",
					Hint:  "export ANTHROPIC_API_KEY=KEY",
				},
				{
					Match: "Not logged in",
					Msg:   "claude is not logged in: set ANTHROPIC_API_KEY, or log in once with Claude Code",
					Hint:  "export ANTHROPIC_API_KEY=KEY",
				},
			},
		},
	}
}
