package backends

import "time"

func qwen() Definition {
	return Definition{
		Name:     "qwen",
		Title:    "Qwen Code",
		Protocol: "acp",
		Program:  "qwen",
		Args:     []string{"--acp"},
		// It starts itself a second time otherwise, with more memory for node:
		// 0.9 s and 200 MB for nothing.
		Env:     map[string]string{"QWEN_CODE_NO_RELAUNCH": "1"},
		EnvPass: passed("QWEN_*", "BAILIAN_*", "MODELSCOPE_*"),
		// Its own default is "auto", which lets a model judge what may run.
		Mode: "auto-edit",
		// Not shared: qwen 0.24.4 has no session/close, so that a session could not
		// be put away while another one's turn runs.
		Package: Package{
			Name:    "@qwen-code/qwen-code",
			Version: "0.24.4",
			Bin:     "cli-entry.js",
			Node:    22,
			SizeMB:  144,
		},
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// The last line of what its shell tells.
			Noise: []string{"Process Group PGID: "},
			Setup: []SetupHint{
				{
					Match: "Authentication required",
					Msg:   "qwen has no model provider: configure it once, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL and choose openai in its settings",
					Hint:  "qwen",
				},
			},
		},
	}
}
