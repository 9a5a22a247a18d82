package backends

import "time"

func gemini() Definition {
	return Definition{
		Name:     "gemini",
		Title:    "Gemini CLI",
		Protocol: "acp",
		Program:  "gemini",
		Args:     []string{"--acp"},
		// It starts itself a second time otherwise.
		Env:      map[string]string{"GEMINI_CLI_NO_RELAUNCH": "true"},
		EnvPass:  []string{"GEMINI_*", "GOOGLE_*", "CLOUDSDK_*", "DBUS_SESSION_BUS_ADDRESS"},
		ModelEnv: "GEMINI_MODEL",
		Mode:     "autoEdit",
		// Not shared: gemini 0.61.0 has no session/close.
		Package: Package{
			Name:    "@google/gemini-cli",
			Version: "0.61.0",
			Bin:     "bundle/gemini.js",
			Node:    20,
			SizeMB:  100,
		},
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// gemini 0.61.0 names the file of a session by the minute. A load
			// within it first starts a new file of that name, over the history.
			LoadAnew: time.Minute,
			// It answers -32603 in these words, and has no list of sessions.
			UnknownSession: []string{"Invalid session identifier", "No previous sessions found"},
			Setup: []SetupHint{
				{
					Match: "Gemini API key is missing",
					Msg:   "gemini has no key: set GEMINI_API_KEY, or log in once",
					Hint:  "export GEMINI_API_KEY=KEY",
				},
				{
					Match: "Authentication required",
					Msg:   "gemini is not logged in: set GEMINI_API_KEY, or log in once",
					Hint:  "gemini",
				},
			},
		},
	}
}
