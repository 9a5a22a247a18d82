package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

func vars(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestDirectories(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want dirs
	}{
		"home": {
			map[string]string{"HOME": "/h"},
			dirs{"/h/.config/boo", "/h/.local/share/boo", "/h/.local/state/boo"},
		},
		"XDG": {
			map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"},
			dirs{"/c/boo", "/d/boo", "/s/boo"},
		},
		"XDG that is relative is ignored": {
			map[string]string{"HOME": "/h", "XDG_DATA_HOME": "d", "XDG_RUNTIME_DIR": "r"},
			dirs{"/h/.config/boo", "/h/.local/share/boo", "/h/.local/state/boo"},
		},
		"BOO_HOME overrides all": {
			map[string]string{"BOO_HOME": "/b", "HOME": "/h", "XDG_DATA_HOME": "/d"},
			dirs{"/b", "/b/data", "/b/state"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := findDirs(vars(c.env))
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	for _, env := range []map[string]string{{}, {"HOME": "relative"}, {"BOO_HOME": "relative", "HOME": "/h"}} {
		if d, err := findDirs(vars(env)); orchestrator.CodeOf(err) != orchestrator.CodeInvalid || err == nil {
			t.Errorf("%v: %+v, %v", env, d, err)
		}
	}
}

func TestDirectoriesAreMadeForTheirOwnerAlone(t *testing.T) {
	d, err := findDirs(vars(map[string]string{"BOO_HOME": filepath.Join(t.TempDir(), "boo")}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.make(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{d.Data, d.State} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Data = filepath.Join(file, "data")
	if err := d.make(); orchestrator.CodeOf(err) != orchestrator.CodeDenied {
		t.Errorf("below a file: %v", err)
	}
}

func TestConfiguration(t *testing.T) {
	dir := t.TempDir()
	c, err := readConfig(dir, "/home/pat")
	if err != nil || c.DefaultAgent != "goose" {
		t.Fatalf("without a file: %+v, %v", c, err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("default_agent = \"mine\"\n[agents.mine]\ncommand = [\"/bin/mine\", \"acp\"]\nenv = {A = \"1\"}\nenv_pass = [\"B_*\"]\n")
	c, err = readConfig(dir, "/home/pat")
	if mine := c.Agents["mine"]; err != nil || c.DefaultAgent != "mine" || !slices.Equal(mine.Command, []string{"/bin/mine", "acp"}) || mine.Env["A"] != "1" {
		t.Fatalf("%+v, %v", c, err)
	}
	write("[pool]\nidle = \"5m\"\nmax_live = 3\nmax_rss = \"1.5GiB\"\n")
	if c, err = readConfig(dir, "/home/pat"); err != nil || c.Pool != (poolConfig{Idle: 5 * time.Minute, MaxLive: 3, MaxRSS: 3 << 29}) {
		t.Fatalf("%+v, %v", c.Pool, err)
	}
	write("[worktree]\nspares = 0\nmax_file = \"200MB\"\n")
	if c, err = readConfig(dir, "/home/pat"); err != nil || c.Worktree.Spares != 0 || c.Worktree.MaxFile != 200_000_000 {
		t.Fatalf("%+v, %v", c.Worktree, err)
	}
	for text, want := range map[string]string{
		"[worktree]\nlfs = \"never\"\n":                               "config.toml:2: worktree.lfs: \"never\"",
		"[worktree]\nspares = 11\n":                                   "config.toml:2: worktree.spares: 11",
		"[worktree]\nmax_file = \"2GiB\"\n":                           "config.toml:2: worktree.max_file: 2.0 GiB",
		"[pool]\nidle = \"soon\"\n":                                   "config.toml:2: ",
		"[pool]\n\nidle = \"-1s\"\n":                                  "config.toml:3: pool.idle: -1s",
		"[pool]\nmax_live = -1\n":                                     "config.toml:2: pool.max_live: -1",
		"[pool]\nmax_rss = \"4 bananas\"\n":                           "is not a size",
		"# hello\ndefault_agnet = \"x\"\n":                            "config.toml:2: boo knows no setting default_agnet",
		"default_agent = \"a\"\n[agents.b]\ncommand = []\nsped = 1\n": "config.toml:4: boo knows no setting agents.b.sped",
		"\n[agent.b]\ncommand = []\n":                                 "config.toml:2: boo knows no setting agent",
		"a = 1\n[x]\n":                                                "config.toml:1: boo knows no setting a",
		"default_agent = \n":                                          "config.toml:1: ",
		"\ndefault_agent = \"No Name\"\n":                             "config.toml:2: default_agent: ",
	} {
		write(text)
		if _, err := readConfig(dir, "/home/pat"); err == nil || !strings.Contains(err.Error(), want) || orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
