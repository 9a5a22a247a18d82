package main

import (
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/orchestrator/sessionlog"
)

// recordConfig is the [record] table of config.toml.
type recordConfig struct {
	// SessionLog has a file per chat written with all that happened in it.
	SessionLog bool `toml:"session_log"`
	// MaxSize is how large such a file gets before the next one is begun.
	MaxSize byteSize `toml:"max_size"`
}

func defaultRecord() recordConfig { return recordConfig{SessionLog: true, MaxSize: 16 << 20} }

// check names the first setting that makes no sense, and why.
func (c recordConfig) check() (key string, err error) {
	if c.MaxSize < 64<<10 {
		return "max_size", fmt.Errorf("it is less than 64 KiB")
	}
	return "", nil
}

// sessionLogs are the logs of boo's chats; nil where none are kept.
func sessionLogs(d dirs, c config) orchestrator.SessionLogs {
	if !c.Record.SessionLog {
		return nil
	}
	environ := os.Environ()
	for _, custom := range c.Agents {
		for name, value := range custom.Env {
			environ = append(environ, name+"="+value)
		}
	}
	return sessionlog.New(sessionlog.Options{Dir: filepath.Join(d.State, "sessions"), Max: int64(c.Record.MaxSize), Environ: environ})
}
