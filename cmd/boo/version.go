package main

import (
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version is the number of the release that is being worked on.
const version = "0.1.0"

type versionView struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func versionCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print which boo this is",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runVersion(e)
		},
	}
}

func viewVersion() versionView {
	v := versionView{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	return v
}

func runVersion(e *env) error {
	v := viewVersion()
	if e.JSON {
		return e.Stdout.JSON(v)
	}
	revision := v.Revision
	if len(revision) > 12 {
		revision = revision[:12]
	}
	if revision != "" {
		revision = ", " + revision
	}
	e.Stdout.Printf("boo %s (%s %s/%s%s)", v.Version, v.Go, v.OS, v.Arch, revision)
	return nil
}
