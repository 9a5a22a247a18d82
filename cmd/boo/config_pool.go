package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"boo/backends"
)

// poolConfig is the [pool] table: how long and how many agents stay warm. What
// is not set has its default.
type poolConfig struct {
	Idle    time.Duration `toml:"idle"`     // "30m"
	MaxLive int           `toml:"max_live"` // 10
	MaxRSS  byteSize      `toml:"max_rss"`  // "4GiB"
}

func (c poolConfig) options(data string) backends.PoolOptions {
	return backends.PoolOptions{
		Idle: c.Idle, MaxLive: c.MaxLive, MaxRSS: int64(c.MaxRSS),
		// Empty, and nobody's worktree: where agents of several chats are started.
		Dir: filepath.Join(data, "common"),
	}
}

// check names the first setting that makes no sense, and why.
func (c poolConfig) check() (key string, err error) {
	switch {
	case c.Idle < 0:
		return "idle", fmt.Errorf("%s is not a time that an agent can be idle for", c.Idle)
	case c.MaxLive < 0:
		return "max_live", fmt.Errorf("%d is not a number of agents", c.MaxLive)
	}
	return "", nil
}

// byteSize is a number of bytes, written with a unit: "500MiB", "4GiB", "2GB".
type byteSize int64

var byteUnits = []struct {
	name string
	size float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// UnmarshalText reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || n <= 0 || n*unit.size >= math.MaxInt64 {
			break
		}
		*b = byteSize(n * unit.size)
		return nil
	}
	return fmt.Errorf(`%q is not a size: write "500MiB" or "4GiB"`, text)
}
