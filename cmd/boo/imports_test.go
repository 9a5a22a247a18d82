package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// borders says which packages of boo each package may import, besides
// orchestrator, which all may. A name that ends in "/..." stands for a directory
// and all below it. What has no row may import nothing of boo.
var borders = map[string][]string{
	"boo/orchestrator": {}, // the vocabulary stands alone
	"boo/worktree/...": {"boo/worktree/..."},
	// Installers and definitions are data and tools of the same kind; protocols
	// and supervision know definitions.
	"boo/backends/acp":             {"boo/backends", "boo/backends/acp/..."},
	"boo/backends/opencode":        {"boo/backends", "boo/backends/opencode/..."},
	"boo/backends/proc":            {"boo/backends", "boo/backends/proc/..."},
	"boo/backends/install":         {"boo/backends", "boo/backends/install/..."},
	"boo/backends/backendtest":     {"boo/backends", "boo/backends/install", "boo/backends/backendtest/..."},
	"boo/backends/backendtest/...": {"boo/backends", "boo/backends/backendtest/..."},
	"boo/cmd/boo":                  {"boo/..."}, // the only place that wires
	"boo/cmd/boo/internal/...":     {"boo/cmd/boo/internal/..."},
}

// contained says which packages may import what only they know about.
var contained = map[string][]string{
	"github.com/go-git/go-git/...":   {"boo/worktree/..."},
	"github.com/jmoiron/sqlx/...":    {"boo/orchestrator/store/..."},
	"modernc.org/sqlite/...":         {"boo/orchestrator/store/..."},
	"database/sql/...":               {"boo/orchestrator/store/..."},
	"github.com/urfave/cli/...":      {"boo/cmd/boo"},
	"github.com/BurntSushi/toml/...": {"boo/cmd/boo"},
	"github.com/robfig/cron/...":     {"boo/cmd/boo"},
	"golang.org/x/term/...":          {"boo/cmd/boo/internal/tty"},
	// git runs below worktree, agents below backends/proc, npm below
	// backends/install. The person's own editor and pager belong to none of them:
	// they are neither git nor to be supervised, and they need the terminal.
	"os/exec": {"boo/worktree/...", "boo/backends/proc/...", "boo/backends/install/...", "boo/cmd/boo/internal/foreground"},
	"testing": {"boo/backends/backendtest"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	DepOnly    bool
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,DepOnly", "boo/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p.ImportPath, "boo/") {
			all = append(all, p)
		}
	}
}

func matches(pattern, path string) bool {
	dir, below := strings.CutSuffix(pattern, "/...")
	return path == dir || below && strings.HasPrefix(path, dir+"/")
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}

// allowed is the row of borders for a package: its own, or the directory's that
// fits best.
func allowed(path string) []string {
	if row, ok := borders[path]; ok {
		return row
	}
	var best string
	for pattern := range borders {
		if strings.HasSuffix(pattern, "/...") && matches(pattern, path) && len(pattern) > len(best) {
			best = pattern
		}
	}
	return borders[best]
}

func TestImportBorders(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < 5 {
		t.Fatalf("go list found only %d packages of boo", len(packages))
	}
	for _, p := range packages {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "boo/") && !(imported == "boo/orchestrator" && p.ImportPath != imported) &&
				!matchesAny(allowed(p.ImportPath), imported) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
			for what, owners := range contained {
				if matches(what, imported) && !matchesAny(owners, p.ImportPath) {
					t.Errorf("%s imports %s, which belongs to %s", p.ImportPath, imported, strings.Join(owners, ", "))
				}
			}
		}
	}
}

func TestTheBordersAreSharp(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"boo/pending", "boo/worktree", false},
		{"boo/worktree", "boo/worktree/internal/gitcmd", true},
		{"boo/orchestrator/store", "boo/backends", false},
		{"boo/backends", "boo/backends/acp", false},
		{"boo/backends/acp", "boo/backends/proc", false},
		{"boo/cmd/boo", "boo/worktree", true},
		{"boo/cmd/boo/internal/tty", "boo/worktree", false},
	} {
		if got := matchesAny(allowed(c.from), c.to); got != c.ok {
			t.Errorf("%s -> %s: allowed is %v", c.from, c.to, got)
		}
	}
}
