package unit

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The labels of the jobs.
const (
	daemonJob = "boo.daemon"
	reaperJob = "boo.reaper"
)

// Launchd writes the property lists of agents of the person's own launchd.
func Launchd(s Settings) ([]File, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return []File{
		s.job(daemonJob, []string{"daemon", "run", "--replace"}, `	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<true/>
	<key>ExitTimeOut</key>
	<integer>45</integer>
`),
		s.job(reaperJob, []string{"reaper", "run"}, `	<key>StartInterval</key>
	<integer>600</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>LowPriorityIO</key>
	<true/>
	<key>Nice</key>
	<integer>19</integer>
`),
	}, nil
}

func (s Settings) job(label string, args []string, more string) File {
	var b strings.Builder
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
` + text(label, 1) + "	<key>ProgramArguments</key>\n	<array>\n")
	for _, arg := range append([]string{s.Program}, args...) {
		b.WriteString(text(arg, 2))
	}
	b.WriteString("	</array>\n")
	if len(s.Environ) > 0 {
		b.WriteString("	<key>EnvironmentVariables</key>\n	<dict>\n")
		for _, v := range s.Environ {
			name, value, _ := strings.Cut(v, "=")
			fmt.Fprintf(&b, "		<key>%s</key>\n%s", name, text(value, 2))
		}
		b.WriteString("	</dict>\n")
	}
	b.WriteString("	<key>StandardOutPath</key>\n" + text(s.Log, 1) + "	<key>StandardErrorPath</key>\n" + text(s.Log, 1))
	b.WriteString(more + "</dict>\n</plist>\n")
	return File{Name: label + ".plist", Text: b.String()}
}

// text is a string element on a line of its own.
func text(value string, indent int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("\t", indent) + "<string>")
	_ = xml.EscapeText(&b, []byte(value)) // a builder takes everything
	b.WriteString("</string>\n")
	return b.String()
}
