package backends

import "time"

func opencodeACP() Definition {
	return Definition{
		Name:     "opencode-acp",
		Title:    "opencode (ACP)",
		Protocol: "acp",
		Program:  "opencode",
		Args:     []string{"acp"},
		Env:      opencodeEnv(),
		EnvPass:  passed("OPENCODE_*"),
		Mode:     "build",
		Sessions: opencodeSessions,
		Package:  opencodePackage(),
		Quirks: Quirks{
			// It takes 1 to 2 s to start, and many times that on a busy machine.
			StartTime: 30 * time.Second,
			// "opencode acp" also listens on a port of 127.0.0.1, open to every
			// user of the machine unless there is a password.
			Secret: "OPENCODE_SERVER_PASSWORD",
		},
	}
}
