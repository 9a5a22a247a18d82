package unit

import (
	"fmt"
	"strings"
)

// The names of the units.
const (
	Daemon      = "boo.service"
	Reaper      = "boo-reaper.service"
	ReaperTimer = "boo-reaper.timer"
	Agent       = "boo-agent@.service"
)

// Systemd writes the units; with agent also the one that serves a chat.
func Systemd(s Settings, agent bool) ([]File, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	files := []File{{Daemon, s.daemon()}, {Reaper, s.reaper()}, {ReaperTimer, timer}}
	if agent {
		files = append(files, File{Agent, s.agent()})
	}
	return files, nil
}

const header = "# " + Mark + `, which writes it anew the next time.
# To change it: systemctl edit, which keeps what you say in a file of its own.
`

// daemon: what agents start may be killed for want of memory without the daemon
// being ended for it, and whatever the daemon leaves is killed with it.
func (s Settings) daemon() string {
	return header + `
[Unit]
Description=boo: turns of coding agents
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart=` + s.command("daemon", "run", "--replace") + `
# It waits for the turns of a daemon that was started by hand.
TimeoutStartSec=infinity
WatchdogSec=60
Restart=always
RestartSec=5
# TERM to the daemon, which has 30 s for an ordered end; then KILL to all.
KillMode=mixed
TimeoutStopSec=45
OOMPolicy=continue
` + s.place() + s.hardening() + s.install()
}

func (s Settings) reaper() string {
	return header + `
[Unit]
Description=boo: archive worktrees that nobody uses

[Service]
Type=oneshot
ExecStart=` + s.command("reaper", "run") + `
# Something is held, could not be verified, or another sweep is at it.
SuccessExitStatus=4 5 6
Nice=19
CPUSchedulingPolicy=idle
IOSchedulingClass=idle
TimeoutStartSec=1h
` + s.place() + s.hardening()
}

const timer = header + `
[Unit]
Description=boo: look for worktrees that nobody uses

[Timer]
OnActiveSec=5min
OnUnitInactiveSec=10min
RandomizedDelaySec=30s

[Install]
WantedBy=timers.target
`

// agent: %I is the chat's name as it was before it became part of a unit's name.
func (s Settings) agent() string {
	return header + `
[Unit]
Description=boo: the chat %I
Wants=` + Daemon + `
After=` + Daemon + `

[Service]
ExecStart=` + s.command("chat", "serve", "--") + ` %I
Restart=always
RestartSec=5
# No such chat, or a setting that makes no sense: starting again would not help.
RestartPreventExitStatus=2 3
KillMode=mixed
TimeoutStopSec=45
` + s.place() + s.hardening() + s.install()
}

// command is boo with arguments, which are words of boo's own.
func (s Settings) command(args ...string) string {
	return quote(s.Program) + " " + strings.Join(args, " ")
}

// place says as whom and with what environment boo runs.
func (s Settings) place() string {
	var b strings.Builder
	if s.User != "" {
		fmt.Fprintf(&b, "User=%s\n", s.User)
	}
	for _, v := range s.Environ {
		fmt.Fprintf(&b, "Environment=%s\n", quote(v))
	}
	fmt.Fprintf(&b, "# For keys that agents need: NAME=value, a line each, readable for you alone.\nEnvironmentFile=-%s\n", glob.Replace(s.EnvFile))
	return b.String()
}

// hardening leaves agents what they work with: the person's files, the network,
// name spaces for their sandboxes, memory that is written and run, debuggers.
// What it takes is privileges that are gained, such as by sudo.
func (s Settings) hardening() string {
	text := "NoNewPrivileges=yes\nRestrictRealtime=yes\n"
	if s.User != "" { // the person's own manager has no right to more
		text += "ProtectSystem=full\nProtectKernelTunables=yes\nProtectKernelModules=yes\nProtectKernelLogs=yes\nProtectClock=yes\n"
	}
	return text
}

func (s Settings) install() string {
	target := "default.target"
	if s.User != "" {
		target = "multi-user.target"
	}
	return "\n[Install]\nWantedBy=" + target + "\n"
}

var (
	quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`)
	glob   = strings.NewReplacer(`%`, `%%`, `\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
)

// quote makes one word of a text that is plain.
func quote(s string) string { return `"` + quoted.Replace(s) + `"` }

// AgentUnit is the name of the unit that serves a chat.
func AgentUnit(chat string) string {
	var b strings.Builder
	for i := range len(chat) {
		switch c := chat[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == ':', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('-')
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return strings.Replace(Agent, "@", "@"+b.String(), 1)
}
