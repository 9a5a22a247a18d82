package backends

import "time"

func opencodeACP() Definition {
	return Definition{
		Name:     "opencode-acp",
		Title:    "opencode (ACP)",
		Protocol: "acp",
		Program:  "opencode",
		Args:     []string{"acp"},
		// What is installed is pinned.
		Env:     map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"},
		EnvPass: passed("OPENCODE_*"),
		Mode:    "build",
		// 600 MB and 2 s for each process; directory, mode and model are the
		// session's.
		Shared: true,
		Package: Package{
			// The program itself: package opencode-ai brings it twice and needs its
			// install script to choose. This build runs on every x86-64.
			Name:    "opencode-linux-x64-baseline",
			Version: "1.18.33",
			Bin:     "bin/opencode",
			SizeMB:  177,
		},
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// "opencode acp" also listens on a port of 127.0.0.1, open to every
			// user of the machine unless there is a password.
			Secret: "OPENCODE_SERVER_PASSWORD",
		},
	}
}
