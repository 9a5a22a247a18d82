package backends

// opencode runs as a server for all chats: one process, which is ready for a
// turn many times faster than a new one. That of "opencode acp" is the agent
// opencode-acp.
func opencode() Definition {
	return Definition{
		Name:       "opencode",
		Title:      "opencode",
		Protocol:   "opencode",
		Program:    "opencode",
		Args:       []string{"serve", "--hostname", "127.0.0.1", "--port", "0"},
		Env:        opencodeEnv(),
		EnvPass:    passed("OPENCODE_*"),
		Mode:       "build",
		Sessions:   opencodeSessions,
		Package:    opencodePackage(),
		Shared:     true,
		Concurrent: true,
	}
}

// opencodeSessions is opencode's own database, the same for all its forms.
const opencodeSessions = "opencode"

func opencodePackage() Package {
	return Package{
		// The program itself: package opencode-ai brings it twice and needs its
		// install script to choose. This build runs on every x86-64.
		Name:    "opencode-linux-x64-baseline",
		Version: "1.18.33",
		Bin:     "bin/opencode",
		SizeMB:  177,
		Folder:  "opencode",
	}
}

// opencodeEnv keeps opencode from replacing itself: what is installed is
// pinned.
func opencodeEnv() map[string]string {
	return map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"}
}
