package scriptedagent

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// settings are the knobs that are turned before the first message.
type settings struct {
	store      string
	initialize string
	load       string
	resume     bool
	banner     int
}

// Main runs the agent on the process's stdin and stdout and returns its exit
// status, for syscall.Exit: under the race detector os.Exit takes a second, which
// would be that of every turn. args are the arguments without the program's name.
// Some scripts end the process before it returns.
func Main(args []string) int {
	s, err := parseArgs(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "boo-agent:", err)
		return 2
	}
	a := newAgent(s, os.Stdout)
	for i := range s.banner {
		_ = a.out.raw(fmt.Sprintf("boo-agent says good morning, line %d\n", i+1))
	}
	if err := a.serve(bufio.NewReader(os.Stdin)); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "boo-agent:", err)
		return 1
	}
	return 0
}

func parseArgs(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("boo-agent", flag.ContinueOnError)
	flags.StringVar(&s.store, "store", "", "directory of the sessions")
	flags.StringVar(&s.initialize, "initialize", "ok", "ok, wrong or never")
	flags.StringVar(&s.load, "load", "ok", "ok, late, lying, gone, broken or none")
	flags.BoolVar(&s.resume, "resume", false, "offer session/resume")
	flags.IntVar(&s.banner, "banner", 0, "lines of noise at the beginning")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if !slices.Contains([]string{"ok", "wrong", "never"}, s.initialize) {
		return s, fmt.Errorf("--initialize %s: not a way to answer", s.initialize)
	}
	if !slices.Contains([]string{"ok", "late", "lying", "gone", "broken", "none"}, s.load) {
		return s, fmt.Errorf("--load %s: not a way to answer", s.load)
	}
	if s.store == "" {
		dir := os.Getenv("XDG_DATA_HOME")
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return s, err
			}
			dir = filepath.Join(home, ".local", "share")
		}
		s.store = filepath.Join(dir, "boo-agent")
	}
	return s, nil
}
