package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"boo/reaper"
)

// reaperConfig is the [reaper] table of config.toml.
type reaperConfig struct {
	Every     span     `toml:"every"`     // how often the daemon sweeps; "off" for never
	Grace     span     `toml:"grace"`     // from the last use of a worktree to its removal
	Idle      span     `toml:"idle"`      // after which the worktrees of open chats go too; "off" for never
	Retention span     `toml:"retention"` // of archives; "off" for ever
	Disk      byteSize `toml:"disk"`      // that all of it may take; no bound where it is not set
}

func defaultReaper() reaperConfig {
	r := reaper.DefaultRules()
	return reaperConfig{Every: span(10 * time.Minute), Grace: span(r.Grace), Idle: span(r.Idle), Retention: span(r.Retention)}
}

func (c reaperConfig) rules() reaper.Rules {
	return reaper.Rules{Grace: time.Duration(c.Grace), Idle: time.Duration(c.Idle), Retention: time.Duration(c.Retention), Disk: int64(c.Disk)}
}

// check names the first setting that makes no sense, and why.
func (c reaperConfig) check() (key string, err error) {
	switch {
	case c.Every > 0 && c.Every < span(time.Minute):
		return "every", fmt.Errorf("%s is too often; a minute is the least", time.Duration(c.Every))
	case c.Grace < span(time.Minute):
		return "grace", fmt.Errorf("%s is too short; a minute is the least", time.Duration(c.Grace))
	case c.Idle > 0 && c.Idle < span(time.Hour):
		return "idle", fmt.Errorf("%s is too short; an hour is the least", time.Duration(c.Idle))
	case c.Retention > 0 && c.Retention < span(time.Hour):
		return "retention", fmt.Errorf("%s is too short; an hour is the least", time.Duration(c.Retention))
	}
	return "", nil
}

// span is a length of time, written as Go does or in days: "90m", "30d"; "off" is
// 0.
type span time.Duration

// UnmarshalText reads a span.
func (s *span) UnmarshalText(text []byte) error {
	word := string(text)
	if word == "off" {
		*s = 0
		return nil
	}
	if days, ok := strings.CutSuffix(word, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err == nil {
			*s = span(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return fmt.Errorf(`%q is not a length of time: write "90m", "12h", "30d" or "off"`, word)
	}
	*s = span(d)
	return nil
}
